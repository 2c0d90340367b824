import { Type } from 'typebox';
import { defineEvent, EXAMPLE, foreignId, oneOf, ownId, text } from './shared.ts';

const moderationFlagged = defineEvent({
  event: 'moderation.flagged',
  description: 'Something is reported by a reader or held by a rule, and a person should look at it.',
  subject: 'targetId',
  audience: 'The account on whose site or listing it stands, if there is one; else none. It is sent to nobody.',
  webhook: null,
  fields: {
    targetType: oneOf(['COMMENT', 'POST', 'LISTING', 'OFFER', 'USER'], 'What is flagged.'),
    targetId: foreignId('Its id.'),
    targetUserId: Type.Optional(
      foreignId('The user behind it, by the id that offers and trades use: repeated flags count against this user.'),
    ),
    source: oneOf(['REPORT', 'RULE'], 'Whether a person reported it or a rule held it.'),
    reason: text(1000, 'What the reporter wrote, or what the rule found.'),
    rule: Type.Optional(foreignId('The rule, when a rule held it.')),
    reporterUserId: Type.Optional(foreignId('Who reported it, when a person did; by the same kind of id.')),
    postId: Type.Optional(foreignId('The post under which a flagged comment stands.')),
  },
  example: {
    targetType: 'COMMENT',
    targetId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b10',
    targetUserId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b11',
    source: 'RULE',
    reason: 'Holds 7 links; 3 are allowed.',
    rule: 'too_many_links',
    postId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b12',
  },
});

const fraudSignalDetected = defineEvent({
  event: 'fraud_signal.detected',
  description: 'Fraud evaluation finds a rule fulfilled by what a user did.',
  subject: 'userId',
  audience: 'None: for operators and the own components only.',
  webhook: null,
  fields: {
    userId: foreignId('The user concerned.'),
    rule: foreignId('The rule that was fulfilled.'),
    severity: oneOf(['LOW', 'MEDIUM', 'HIGH'], 'How much it weighs.'),
    explanation: text(1000, 'What was found, with its figures.'),
    eventIds: Type.Array(ownId('An event of the audit trail.'), {
      description: 'The events that fulfilled the rule, oldest first.',
      minItems: 1,
      maxItems: 100,
    }),
  },
  example: {
    userId: EXAMPLE.initiator,
    rule: 'offer_velocity',
    severity: 'MEDIUM',
    explanation: '41 offers within 10 minutes; 20 are usual.',
    eventIds: [EXAMPLE.event],
  },
});

export const MODERATION_EVENTS = {
  'moderation.flagged': moderationFlagged,
  'fraud_signal.detected': fraudSignalDetected,
};
