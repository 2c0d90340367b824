/** As the service counts them (POST /v1/admin/users, POST /v1/auth/password): characters, also those of two UTF-16 units. */
export const LEAST = 8;
const MOST = 200;

/** Why a new password is too short or too long: "4 of at least 8 characters."; undefined: it is neither, or nothing was typed. */
export function wrongLength(password: string): string | undefined {
  const { length } = Array.from(password);
  if (length > MOST) return `${length} of at most ${MOST} characters.`;
  return length > 0 && length < LEAST ? `${length} of at least ${LEAST} characters.` : undefined;
}
