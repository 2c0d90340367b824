import { AppError } from '../../../contracts/errors.ts';
import { clearedCookie, type PageInput, type PageReply, sessionCookie } from '../../../platform/http/index.ts';
import { nextOf } from '../links.ts';
import type { Site } from '../site.ts';
import { type AccountForm, faultsOf, formPage, SHOW, signInForm, signUpForm } from './account-forms.ts';
import { sendCounted, sendReport } from './comment.ts';
import { type Unsent, unsentOf } from './unsent.ts';

type Opened = Awaited<ReturnType<Site['readers']['signIn']>>;

/** Sends what the form carried; null where its post or comment is not there any more. */
async function sendCarried(
  site: Site,
  input: PageInput,
  unsent: Unsent,
  user: Opened['user'],
): Promise<PageReply | null> {
  try {
    if (unsent.is === 'report') return await sendReport(site, input, unsent, user.id);
    return await sendCounted(site, input, unsent, { userId: user.id, name: user.name, blogRole: user.blogRole });
  } catch (error) {
    // The session is there, whatever became of what was typed. What may go well later is told, so that the form is sent again.
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

async function signedIn(site: Site, input: PageInput, { accessToken, user }: Opened): Promise<PageReply> {
  const unsent = unsentOf(input.form);
  const sent = unsent && (await sendCarried(site, input, unsent, user));
  const reply = sent ?? { status: 303, headers: { location: nextOf(site.links, input.form['next']) } };
  return {
    ...reply,
    headers: { ...reply.headers, 'cache-control': 'no-store' },
    cookies: [sessionCookie(accessToken, site.sessionSeconds, site.isSecure)],
  };
}

const leave = (site: Site, { query }: PageInput): PageReply => ({
  status: 303,
  headers: { location: nextOf(site.links, query['next']) },
});

export const showSignIn = async (site: Site, input: PageInput): Promise<PageReply> =>
  input.caller ? leave(site, input) : formPage(site, input, signInForm(site, input));

export const showSignUp = async (site: Site, input: PageInput): Promise<PageReply> =>
  input.caller ? leave(site, input) : formPage(site, input, signUpForm(site, input));

/** Opens a session by what was filled in; what was wrong is told on the form, which keeps what it carries. */
async function taken(
  site: Site,
  input: PageInput,
  formOf: (site: Site, input: PageInput, unsent: Unsent | null) => AccountForm,
  open: () => Promise<Opened>,
): Promise<PageReply> {
  const unsent = unsentOf(input.form);
  const form = formOf(site, input, unsent);
  if (input.form[SHOW] !== undefined) return formPage(site, input, form, { unsent });
  let opened: Opened;
  try {
    opened = await open();
  } catch (error) {
    return formPage(site, input, form, { faults: faultsOf(error, form), unsent });
  }
  return signedIn(site, input, opened);
}

export const signIn = (site: Site, input: PageInput): Promise<PageReply> => {
  const { email = '', password = '' } = input.form;
  return taken(site, input, signInForm, () => site.readers.signIn(input.db, { email, password }, input.env));
};

export const signUp = (site: Site, input: PageInput): Promise<PageReply> => {
  const { name = '', email = '', password = '' } = input.form;
  return taken(site, input, signUpForm, () => site.readers.signUp(input.db, { name, email, password }, input.env));
};

/** Also of a session that has ended already: the cookie goes in any case. */
export async function signOut(site: Site, { caller, form, env, write }: PageInput): Promise<PageReply> {
  if (caller) await write((trx) => site.readers.signOut(trx, caller, env));
  return {
    status: 303,
    headers: { location: nextOf(site.links, form['next']), 'cache-control': 'no-store' },
    cookies: [clearedCookie(site.isSecure)],
  };
}
