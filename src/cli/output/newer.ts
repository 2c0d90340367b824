/** A field that replies of an earlier service do not have yet: the types are those of this version. */
export const newer = <T>(value: T): T | undefined => value;
