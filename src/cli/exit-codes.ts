/** What the program ends with, as told in docs/cli.md. `audit verify` has its own, those of `diff`. */
export const EXIT = {
  FINE: 0,
  FAILED: 1,
  /** The command line is wrong. */
  USAGE: 2,
  /** No Posthorn answers there. */
  UNREACHABLE: 3,
  /** No credential, a wrong one, or one without the right. */
  NOT_ALLOWED: 4,
  /** The service is of another version than this program, and did not understand it. */
  OTHER_VERSION: 5,
  /** 128 + SIGINT, as shells count. */
  INTERRUPTED: 130,
  /** 128 + SIGTERM. */
  TERMINATED: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
