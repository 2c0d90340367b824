/** What to do with a one-time token, on one line. */
export const setupRequest = (token: string, url: string): string =>
  `Become one within an hour: POST ${url}/v1/auth/setup {"token": "${token}", "email", "name", "password"}`;

/** The same for a terminal, ready to be pasted. */
export const setupHint = (token: string, url: string): string => `
Posthorn is running at ${url} and has no operator yet. Become one within an hour:

  curl -X POST ${url}/v1/auth/setup -H "Content-Type: application/json" -d '{
    "token": "${token}",
    "email": "you@example.com", "name": "Your name", "password": "at least 12 characters"
  }'

The token works once; a restart prints a new one. Or set POSTHORN_OPERATOR_EMAIL and POSTHORN_OPERATOR_PASSWORD.

`;
