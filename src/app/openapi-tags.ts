/** Groups of operations in the API reference, in the order in which a newcomer needs them. */
export const OPENAPI_TAGS = [
  { name: 'Blog', description: 'Public reads, with an API key or a session.' },
  { name: 'Blog comments', description: 'For readers: comment, reply, report.' },
  { name: 'Blog authoring', description: 'For writers: authors manage their own posts, editors all.' },
  { name: 'Blog moderation', description: 'For writers: comments on own posts of authors, all for editors.' },
  { name: 'Events', description: 'Publishing into the audit trail, and reading it.' },
  { name: 'Notifications', description: 'What a signed-in user is told of offers and trades.' },
  { name: 'Reputation', description: 'How far a user of the marketplace can be trusted, and why.' },
  { name: 'Webhook endpoints', description: 'Where a merchant receives events.' },
  { name: 'Business subscriptions', description: 'Where a business receives space booking events.' },
  { name: 'Deliveries', description: 'What was sent, what came back, and replay.' },
  { name: 'Insights', description: 'Counts over time, computed from what is stored when they are asked for.' },
  { name: 'Sign-in', description: 'Sessions of readers, writers, merchant staff and operators.' },
  { name: 'Administration', description: 'For operators: accounts, users, API keys.' },
  { name: 'Readers', description: 'For operators: the readers of the event log, and what they could not handle.' },
  { name: 'Merchant webhooks', description: 'What merchants receive.' },
  { name: 'Business webhooks', description: 'What businesses receive.' },
] as const;
