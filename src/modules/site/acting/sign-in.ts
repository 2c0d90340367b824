import { AppError } from '../../../contracts/errors.ts';
import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import { clearedCookie, type PageInput, type PageReply, sessionCookie } from '../../../platform/http/index.ts';
import { layout } from '../html/layout.ts';
import { nextOf, withQuery } from '../links.ts';
import type { Site } from '../site.ts';

/** A form that could not be taken: what is wrong with each field, and with the whole. */
interface Faults {
  whole?: string;
  fields: ReadonlyMap<string, string>;
}

interface Field {
  name: 'name' | 'email' | 'password';
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: string;
  hint?: string;
  /** What to say when it does not fit. */
  fault: string;
  more?: Part;
}

const EMAIL: Field = {
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'email',
  fault: 'Enter an e-mail address like name@example.com.',
};

const SIGN_UP: readonly Field[] = [
  {
    name: 'name',
    label: 'Name',
    type: 'text',
    autocomplete: 'name',
    hint: 'Shown with your comments.',
    fault: 'Enter a name of 1 to 100 characters.',
    more: markup` maxlength="100"`,
  },
  EMAIL,
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 8 characters.',
    fault: 'Choose a password of 8 to 200 characters.',
    more: markup` minlength="8" maxlength="200"`,
  },
];

const SIGN_IN: readonly Field[] = [
  { ...EMAIL, autocomplete: 'username' },
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    fault: 'Enter your password.',
  },
];

function fieldOf(
  { name, label, type, autocomplete, hint, more }: Field,
  value: string,
  fault: string | undefined,
): Markup {
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  return markup`<div class="field"><label for="${name}">${label}</label>
${hint && markup`<p class="hint" id="${name}-hint">${hint}</p>`}
${fault && markup`<p class="fault" id="${name}-fault">${fault}</p>`}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required value="${type === 'password' ? '' : value}"${more}${described !== '' && markup` aria-describedby="${described}"`}${fault && markup` aria-invalid="true"`}></div>`;
}

interface FormPage {
  title: string;
  fields: readonly Field[];
  path: 'sign-in' | 'sign-up';
  other: Part;
}

function formPage(site: Site, input: PageInput, { title, fields, path, other }: FormPage, faults?: Faults): PageReply {
  const next = nextOf(site.links, input.form['next'] ?? input.query['next']);
  const main = markup`<div class="narrow small"><div class="head"><h1>${title}</h1></div>
${faults && markup`<p class="faults" role="alert">${faults.whole ?? 'Please look at what is marked below.'}</p>`}
<form class="form" method="post" action="${site.links.other(path)}">
<input type="hidden" name="next" value="${next}">
${fields.map((field) => fieldOf(field, input.form[field.name] ?? '', faults?.fields.get(field.name)))}
<button class="button">${title}</button></form>
<p class="notice">${other}</p></div>`;
  const status = faults ? 422 : 200;
  return {
    status,
    headers: { 'cache-control': 'no-store' },
    body: layout(site, input, { title, isHidden: true, here: next, main }),
  };
}

const nextLink = (site: Site, input: PageInput, path: string): string =>
  withQuery(site.links.other(path), { next: input.form['next'] ?? input.query['next'] });

const signInForm = (site: Site, input: PageInput): FormPage => ({
  title: 'Sign in',
  fields: SIGN_IN,
  path: 'sign-in',
  other: site.takesSignUps
    ? markup`No account yet? <a href="${nextLink(site, input, 'sign-up')}">Sign up</a>`
    : markup`New accounts are made by the operators of this site.`,
});

const signUpForm = (site: Site, input: PageInput): FormPage => ({
  title: 'Sign up',
  fields: SIGN_UP,
  path: 'sign-up',
  other: markup`You have an account? <a href="${nextLink(site, input, 'sign-in')}">Sign in</a>`,
});

/** What to say of an error that whoever fills in the form can mend; others are thrown on. */
function faultsOf(error: unknown, fields: readonly Field[]): Faults {
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'UNAUTHENTICATED')
    return { whole: 'E-mail address and password do not belong together.', fields: new Map() };
  if (error.code !== 'VALIDATION_ERROR' || !error.details) throw error;
  const said = error.details.flatMap(({ path, message }) => {
    const field = fields.find(({ name }) => path === `body.${name}`);
    const isTaken = message.startsWith('belongs to');
    return field
      ? [[field.name, isTaken ? 'There is an account with this address already.' : field.fault] as const]
      : [];
  });
  return { fields: new Map(said) };
}

const signedIn = (site: Site, { form }: PageInput, token: string): PageReply => ({
  status: 303,
  headers: { location: nextOf(site.links, form['next']), 'cache-control': 'no-store' },
  cookies: [sessionCookie(token, site.sessionSeconds, site.isSecure)],
});

const leave = (site: Site, { query }: PageInput): PageReply => ({
  status: 303,
  headers: { location: nextOf(site.links, query['next']) },
});

export const showSignIn = async (site: Site, input: PageInput): Promise<PageReply> =>
  input.caller ? leave(site, input) : formPage(site, input, signInForm(site, input));

/** Without sign-ups, the page says who makes accounts. */
export const showSignUp = async (site: Site, input: PageInput): Promise<PageReply> =>
  input.caller
    ? leave(site, input)
    : formPage(site, input, site.takesSignUps ? signUpForm(site, input) : signInForm(site, input));

export async function signIn(site: Site, input: PageInput): Promise<PageReply> {
  const { email = '', password = '' } = input.form;
  try {
    const { accessToken } = await site.readers.signIn(input.db, { email, password }, input.env);
    return signedIn(site, input, accessToken);
  } catch (error) {
    return formPage(site, input, signInForm(site, input), faultsOf(error, SIGN_IN));
  }
}

export async function signUp(site: Site, input: PageInput): Promise<PageReply> {
  const { name = '', email = '', password = '' } = input.form;
  try {
    const { accessToken } = await site.readers.signUp(input.db, { name, email, password }, input.env);
    return signedIn(site, input, accessToken);
  } catch (error) {
    return formPage(site, input, signUpForm(site, input), faultsOf(error, SIGN_UP));
  }
}

/** Also of a session that has ended already: the cookie goes in any case. */
export async function signOut(site: Site, { caller, form, env, write }: PageInput): Promise<PageReply> {
  if (caller) await write((trx) => site.readers.signOut(trx, caller, env));
  return {
    status: 303,
    headers: { location: nextOf(site.links, form['next']), 'cache-control': 'no-store' },
    cookies: [clearedCookie(site.isSecure)],
  };
}
