import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { catalogueSearch } from '../catalogue/catalogue-search.ts';
import { changeSearch } from '../changes/change-search.ts';
import { deadLetterSearch } from '../dead-letters/dead-letter-search.ts';
import { deliverySearch } from '../deliveries/delivery-search.ts';
import { eventSearch } from '../events/event-search.ts';
import { inboundSearch } from '../inbound/inbound-search.ts';
import { oneOf, pageNumber } from '../lib/search.ts';
import { accountRoute } from '../shell/account-route.tsx';
import { tradeSearch } from '../trades/trade-search.ts';

const getParentRoute = () => accountRoute;
const pageSearch = (search: Record<string, unknown>): { page?: number } => ({ page: pageNumber(search['page']) });

/** Pages of one account, or of all (operators): what it receives, and what happened to it. */
export const accountRoutes = [
  createRoute({
    getParentRoute,
    path: 'overview',
    validateSearch: (search: Record<string, unknown>): { span?: 'hour' | 'day' | 'week' | 'month' } => ({
      span: oneOf(search['span'], 'hour', 'day', 'week', 'month'),
    }),
    component: lazyRouteComponent(() => import('../overview/overview-page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'endpoints',
    validateSearch: pageSearch,
    component: lazyRouteComponent(() => import('../endpoints/pages.tsx'), 'EndpointsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'endpoints/$id',
    component: lazyRouteComponent(() => import('../endpoints/pages.tsx'), 'EndpointPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'subscriptions',
    validateSearch: pageSearch,
    component: lazyRouteComponent(() => import('../endpoints/pages.tsx'), 'SubscriptionsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'subscriptions/$id',
    component: lazyRouteComponent(() => import('../endpoints/pages.tsx'), 'SubscriptionPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'deliveries',
    validateSearch: deliverySearch,
    component: lazyRouteComponent(() => import('../deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'deliveries/$id',
    component: lazyRouteComponent(() => import('../deliveries/delivery-page.tsx'), 'DeliveryPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'dead-letters',
    validateSearch: deadLetterSearch,
    component: lazyRouteComponent(() => import('../dead-letters/dead-letters-page.tsx'), 'DeadLettersPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'catalogue',
    validateSearch: catalogueSearch,
    component: lazyRouteComponent(() => import('../catalogue/catalogue-page.tsx'), 'CataloguePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'keys',
    validateSearch: pageSearch,
    component: lazyRouteComponent(() => import('../keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'changes',
    validateSearch: changeSearch,
    component: lazyRouteComponent(() => import('../changes/pages.tsx'), 'ChangesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'trades',
    validateSearch: tradeSearch,
    component: lazyRouteComponent(() => import('../trades/trades-page.tsx'), 'TradesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'trades/$id',
    component: lazyRouteComponent(() => import('../trades/trade-page.tsx'), 'TradePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'inbound',
    validateSearch: inboundSearch,
    component: lazyRouteComponent(() => import('../inbound/inbound-page.tsx'), 'InboundPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'inbound/$id',
    component: lazyRouteComponent(() => import('../inbound/report-page.tsx'), 'ReportPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'events',
    validateSearch: eventSearch,
    component: lazyRouteComponent(() => import('../events/events-page.tsx'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'events/$id',
    component: lazyRouteComponent(() => import('../events/event-page.tsx'), 'EventPage'),
  }),
] as const;
