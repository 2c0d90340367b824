import { AppError } from '../../../contracts/errors.ts';
import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import { layout } from '../html/layout.ts';
import { nextOf, withQuery } from '../links.ts';
import type { Site } from '../site.ts';
import { type Unsent, unsentFields } from './unsent.ts';

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
    // No maxlength: it would cut what is pasted off without a word, and counts UTF-16 units.
    more: markup` minlength="8"`,
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

export interface AccountForm {
  title: string;
  fields: readonly Field[];
  path: 'sign-in' | 'sign-up';
  /** Where to go without filling it in. */
  other: Part;
}

/** What a form is shown with. */
export interface Shown {
  faults?: Faults;
  /** A comment or report that waits for its writer to be signed in. */
  unsent?: Unsent | null;
}

/** The page of a form, with what was filled in before; never the password. */
export function formPage(site: Site, input: PageInput, form: AccountForm, { faults, unsent }: Shown = {}): PageReply {
  const { title, fields, path, other } = form;
  const next = unsent
    ? `${site.links.post(unsent.slug)}#comments`
    : nextOf(site.links, input.form['next'] ?? input.query['next']);
  const main = markup`<div class="narrow small"><div class="head"><h1>${title}</h1></div>
${faults && markup`<p class="faults" role="alert">${faults.whole ?? 'Please look at what is marked below.'}</p>`}
${unsent && markup`<p class="notice" role="status">You are not signed in any more. Your ${unsent.is} is sent as soon as you are.</p>`}
<form class="form" method="post" action="${site.links.other(path)}">
<input type="hidden" name="next" value="${next}">
${fields.map((field) => fieldOf(field, input.form[field.name] ?? '', faults?.fields.get(field.name)))}
${unsent && unsentFields(unsent)}
<button class="button">${unsent ? `${title} and send the ${unsent.is}` : title}</button>
<p class="notice">${other}</p></form></div>`;
  const status = faults ? 422 : 200;
  return {
    status,
    headers: { 'cache-control': 'no-store' },
    body: layout(site, input, { title, isHidden: true, here: next, main }),
  };
}

/** Where the other form is; a button, where something has to go along. */
function toForm(site: Site, input: PageInput, unsent: Shown['unsent'], to: { path: string; name: string }): Markup {
  const link = site.links.other(to.path);
  if (unsent) {
    return markup`<button class="plain" name="${SHOW}" value="true" formaction="${link}" formnovalidate>${to.name}</button>`;
  }
  return markup`<a href="${withQuery(link, { next: input.form['next'] ?? input.query['next'] })}">${to.name}</a>`;
}

/** Field of a form that was sent only to see the other one. */
export const SHOW = 'show';

export const signInForm = (site: Site, input: PageInput, unsent?: Shown['unsent']): AccountForm => ({
  title: 'Sign in',
  fields: SIGN_IN,
  path: 'sign-in',
  other: site.takesSignUps
    ? markup`No account yet? ${toForm(site, input, unsent, { path: 'sign-up', name: 'Sign up' })}`
    : markup`New accounts are made by the operators of this site.`,
});

/** Without sign-ups it is the form to sign in, which says who makes accounts. */
export const signUpForm = (site: Site, input: PageInput, unsent?: Shown['unsent']): AccountForm =>
  site.takesSignUps
    ? {
        title: 'Sign up',
        fields: SIGN_UP,
        path: 'sign-up',
        other: markup`You have an account? ${toForm(site, input, unsent, { path: 'sign-in', name: 'Sign in' })}`,
      }
    : signInForm(site, input, unsent);

/** What to say of an error that whoever fills in the form can mend; others are thrown on. */
export function faultsOf(error: unknown, { fields }: AccountForm): Faults {
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
