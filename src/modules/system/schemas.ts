import { type Static, Type } from 'typebox';
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
    bus: Type.Union([Type.Literal('LOCAL'), Type.Literal('POSTGRES'), Type.Literal('NATS')], {
      description: 'How nodes tell each other that something has changed.',
    }),
    sharedRateLimits: Type.Boolean({ description: 'False: each node counts for itself.' }),
    mail: Type.Boolean({ description: 'Whether a mail server is set.' }),
  },
  { title: 'SystemHealth' },
);
export type SystemHealth = Static<typeof SystemHealthSchema>;
