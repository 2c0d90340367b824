import { type Serializer, type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

/**
 * Fastify's own serializers, each made for the first reply that needs it: every route declares a dozen replies, of which a
 * process gives few, and making all of them took half a second of each start. A schema that nothing can be serialized by
 * throws at that reply; test/operations gives each of them.
 */
export const buildSerializer: SerializerFactory = (...given) => {
  const make = SerializerSelector()(...given);
  return (reply) => {
    let serialize: Serializer | undefined;
    return (body) => (serialize ??= make(reply))(body);
  };
};
