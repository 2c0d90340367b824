/** What the service takes as a new password, for the field of one. */
export const NEW_PASSWORD = { required: true, minLength: 8, maxLength: 200, autoComplete: 'new-password' } as const;
