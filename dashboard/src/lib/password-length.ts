/** As the service counts them (POST /v1/admin/users, POST /v1/auth/password): characters, also those of two UTF-16 units. */
export const LEAST = 8;

/** Why a new password is too short: "4 of at least 8 characters."; undefined: it is not, or nothing was typed. */
export function shortness(password: string): string | undefined {
  const { length } = Array.from(password);
  return length > 0 && length < LEAST ? `${length} of at least ${LEAST} characters.` : undefined;
}
