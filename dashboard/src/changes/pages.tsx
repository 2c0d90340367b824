import { getRouteApi } from '@tanstack/react-router';
import { useScope } from '../account/scope.ts';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { AccountSelect } from '../account/account-select.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import { ChangeList } from './change-list.tsx';
import { AREAS } from './change-texts.ts';

const allRoute = getRouteApi('/shell/operators/changes');
const accountRoute = getRouteApi('/shell/a/$accountId/changes');

/** Who changed the configuration, of the whole service, for operators. */
export function AllChangesPage() {
  const { account, ...search } = allRoute.useSearch();
  const navigate = allRoute.useNavigate();
  return (
    <Page
      title="Changes"
      text="Who changed accounts, users, API keys, endpoints and settings, and what was there before."
    >
      <ChangeList
        of={account ?? ''}
        read={(filter, signal) => posthorn.listChanges(given({ ...filter, accountId: account }), { signal })}
        search={search}
        onSearch={(next, replace = false) => void navigate({ search: (old) => ({ ...old, ...next }), replace })}
        onClear={() => void navigate({ search: {} })}
        areas={AREAS}
        isOfAccount={account !== undefined}
        accountFilter={
          <AccountSelect
            isFilter
            value={account ?? null}
            onChange={(id) => void navigate({ search: (old) => ({ ...old, account: id ?? undefined }) })}
          />
        }
      />
    </Page>
  );
}

/** Who changed what of one account, for its members. */
export function ChangesPage() {
  const search = accountRoute.useSearch();
  const navigate = accountRoute.useNavigate();
  const { accountId: id } = useScope();
  if (id === undefined) {
    return (
      <Page title="Changes">
        <EmptyState
          title="This is of one account"
          text="Choose an account, or look at the changes of all for operators."
        />
      </Page>
    );
  }
  return (
    <Page
      title="Changes"
      text="Who changed the keys, endpoints and members of this account, and what was there before."
    >
      <ChangeList
        of={`account ${id}`}
        read={(filter, signal) => posthorn.listAccountChanges({ ...filter, id }, { signal })}
        search={search}
        onSearch={(next, replace = false) => void navigate({ search: (old) => ({ ...old, ...next }), replace })}
        onClear={() => void navigate({ search: {} })}
        areas={AREAS.filter((area) => area !== 'users')}
      />
    </Page>
  );
}
