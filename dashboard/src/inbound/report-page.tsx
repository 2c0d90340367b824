import { Alert, Paper, Stack, Title } from '@mantine/core';
import type { Operations } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EventLink, ReportLink } from '../account/links.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { posthorn } from '../api/client.ts';
import { Facts } from '../ui/facts.tsx';
import { IdText } from '../ui/id-text.tsx';
import { JsonView } from '../ui/json-view.tsx';
import { TextLink } from '../ui/links.tsx';
import { LoadedPage } from '../ui/loaded-page.tsx';
import { Page } from '../ui/page.tsx';
import { ReportName, reportTitle } from './report-name.tsx';
import { ToldTrade } from './told-trade.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';

const route = getRouteApi('/shell/a/$accountId/inbound/$id');

/** One report as it came, with its verdict and what it caused. */
export function ReportPage() {
  const { id, accountId } = route.useParams();
  const query = useQuery({
    queryKey: ['inbound', 'report', id],
    queryFn: ({ signal }) => posthorn.getReport({ id }, { signal }),
  });
  const above = (
    <TextLink to="/a/$accountId/inbound" params={{ accountId }}>
      Inbound log
    </TextLink>
  );
  return (
    <LoadedPage query={query} title="Report" above={above}>
      {(data) => <Shown report={data} above={above} />}
    </LoadedPage>
  );
}

function Shown({ report, above }: { report: Operations['getReport']['reply']; above: ReactNode }) {
  return (
    <Page
      title={reportTitle(report)}
      heading={<ReportName report={report} />}
      above={above}
      actions={<StatusBadge status={report.verdict} />}
    >
      {report.error !== null && (
        <Alert color="red" title={report.error.code}>
          {report.error.message}
        </Alert>
      )}
      <Paper withBorder p="md">
        <Facts
          facts={[
            ['Trade', report.tradeSessionId === null ? '–' : <ToldTrade key="t" report={report} />],
            ['Side', report.side?.toLowerCase() ?? '–'],
            ['Received', <RelativeTime key="r" at={report.receivedAt} />],
            ['Occurred', <RelativeTime key="o" at={report.occurredAt} />],
            [
              'Repeats',
              report.repeats === null ? undefined : <ReportLink id={report.repeats}>an earlier report</ReportLink>,
            ],
            ['More like it', report.further === 0 ? undefined : `${report.further} within the same minute`],
            ['Caused', <Caused key="c" eventIds={report.eventIds} />],
            ['Request', <IdText key="i" id={report.requestId} what="request id" />],
          ]}
        />
      </Paper>
      <Stack gap="xs">
        <Title order={2}>As it came</Title>
        <JsonView text={report.body} label="Body of the report" />
      </Stack>
    </Page>
  );
}

function Caused({ eventIds }: { eventIds: readonly string[] }) {
  if (eventIds.length === 0) return 'nothing';
  return eventIds.map((id) => (
    <div key={id}>
      <EventLink id={id}>{id}</EventLink>
    </div>
  ));
}
