/** How long an API key that is replaced, and its signing secret, stay valid beside the new ones (contract, section 2). Seconds. */
export const OVERLAP = { default: 86_400, most: 30 * 86_400 } as const;
