import type { Command } from 'commander';
import type { GlobalOptions } from './connection/connect.ts';
import { inOptionNames } from './option-names.ts';

/**
 * What a command does: it gets its options, those of every command among them, and its arguments. A number that it
 * gives is the exit code. What the service refuses is told by the names of the options that were given.
 */
export const action =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- they give each command's options their types
    <Options extends object = object, Args extends unknown[] = []>(
      run: (options: GlobalOptions & Options, ...args: Args) => Promise<number | void>,
    ) =>
    async (...given: unknown[]): Promise<void> => {
      const command = given.pop() as Command;
      given.pop();
      try {
        const code = await run(command.optsWithGlobals(), ...(given as Args));
        if (typeof code === 'number') process.exitCode = code;
      } catch (error) {
        throw inOptionNames(error, command);
      }
    };
