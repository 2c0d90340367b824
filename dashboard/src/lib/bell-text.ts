const MOST = 99;

/** What fits beside a bell: "7", "99+". */
export const bellText = (unread: number): string => (unread > MOST ? `${MOST}+` : String(unread));
