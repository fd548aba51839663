"""Call torch.cond, jax.lax.while_loop and the like where control flow depends on data.

    bowler run codemods/lower_control_flow.py --set target=torch train.py:12        review it
    bowler run codemods/lower_control_flow.py --set target=jax . --from log --diff  print a patch
    bowler run codemods/lower_control_flow.py --set target=tf train.py:12 --write   accept it

The rules, with their reasons and examples, are in patterns/packs/lower-control-flow.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_control_flow")


if __name__ == "__main__":
    main()
