/** What a person has to read: the service does not start. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  /** Applied before it, and kept. */
  readonly applied: readonly string[] = [];

  constructor(message: string, options: ErrorOptions & { applied?: readonly string[] } = {}) {
    super(message, options);
    this.applied = options.applied ?? [];
  }

  /** The same, with what was applied before. */
  after(applied: readonly string[]): MigrationError {
    const kept = `Applied before it, and kept: ${applied.join(', ')}. Nodes of the earlier version that run go on; they do not start any more. Start this version again.`;
    return new MigrationError(`${this.message.replace(/\.?$/, '.')} ${kept}`, { cause: this.cause, applied });
  }
}
