import { Argument, Command } from 'commander';
import { action } from '../action.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `posthorn completion <shell>`. `tree` gives the program, which does not exist yet. */
export const completionCommand = (tree: () => Command): Command =>
  new Command('completion')
    .description('Print a script that completes commands, options and values with Tab.')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(posthorn completion bash)                                    in ~/.bashrc
  $ source <(posthorn completion zsh)                                     in ~/.zshrc, behind compinit
  $ posthorn completion fish > ~/.config/fish/completions/posthorn.fish`,
    )
    .action(
      action<object, [shell: Shell]>(async (_options, shell) => {
        const [{ SCRIPTS }, { placesOf }] = await Promise.all([import('./scripts.ts'), import('./tree.ts')]);
        process.stdout.write(SCRIPTS[shell](placesOf(tree())));
      }),
    );
