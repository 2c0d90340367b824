import { getRouteApi } from '@tanstack/react-router';
import { EndpointDetail } from './endpoint-detail.tsx';
import { EndpointList } from './endpoint-list.tsx';

const endpoints = getRouteApi('/shell/a/$accountId/endpoints');
const endpoint = getRouteApi('/shell/a/$accountId/endpoints/$id');
const subscriptions = getRouteApi('/shell/a/$accountId/subscriptions');
const subscription = getRouteApi('/shell/a/$accountId/subscriptions/$id');

/** Endpoints of a merchant. */
export function EndpointsPage() {
  const { page } = endpoints.useSearch();
  const navigate = endpoints.useNavigate();
  return <EndpointList kind="MERCHANT" page={page} onPage={(next) => void navigate({ search: { page: next } })} />;
}

export function EndpointPage() {
  const { id } = endpoint.useParams();
  return <EndpointDetail kind="MERCHANT" id={id} />;
}

/** Subscriptions of a business to space bookings. */
export function SubscriptionsPage() {
  const { page } = subscriptions.useSearch();
  const navigate = subscriptions.useNavigate();
  return <EndpointList kind="BUSINESS" page={page} onPage={(next) => void navigate({ search: { page: next } })} />;
}

export function SubscriptionPage() {
  const { id } = subscription.useParams();
  return <EndpointDetail kind="BUSINESS" id={id} />;
}
