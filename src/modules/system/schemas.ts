import { type Static, Type } from 'typebox';
import { REASONS } from '../../platform/db/index.ts';
import { DateTime, Nullable } from '../../platform/http/index.ts';

export const SystemHealthSchema = Type.Object(
  {
    version: Type.String({ description: 'Of the service.' }),
    environment: Type.String(),
    node: Type.String({ description: 'Name of this process; owner of its leases.' }),
    startedAt: DateTime,
    memory: Type.Object({
      residentBytes: Type.Integer({ description: 'All that the process holds.' }),
      heapUsedBytes: Type.Integer(),
    }),
    database: Type.Object({
      kind: Type.Union([Type.Literal('pglite'), Type.Literal('postgres')]),
      version: Type.String(),
      answerMs: Type.Number({ description: 'How long the smallest question took, the way there and back included.' }),
      sizeBytes: Type.Integer(),
      schema: Nullable(Type.String({ description: 'The newest migration that was applied.' })),
    }),
    replica: Nullable(
      Type.Object({
        used: Type.Boolean({ description: 'Whether reads go to it now; else the primary reads.' }),
        reason: Nullable(Type.Enum([...REASONS], { description: 'Why it is not used.' })),
        lagBytes: Nullable(
          Type.Number({ description: 'Of the log of the primary, what it had not replayed when it last told.' }),
        ),
        lagMs: Nullable(
          Type.Number({
            description:
              'How long ago the last commit was made that it had replayed when it last told; 0: it had all. Null: it does not tell.',
          }),
        ),
      }),
    ),
    bus: Type.Union([Type.Literal('LOCAL'), Type.Literal('POSTGRES'), Type.Literal('NATS')], {
      description: 'How nodes tell each other that something has changed.',
    }),
    sharedRateLimits: Type.Boolean({ description: 'False: each node counts for itself.' }),
    mail: Type.Boolean({ description: 'Whether a mail server is set.' }),
  },
  { title: 'SystemHealth' },
);
export type SystemHealth = Static<typeof SystemHealthSchema>;
