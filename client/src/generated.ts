// Made from openapi.json by `npm run openapi`.

/** What an error of the service is called. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'SLUG_TAKEN'
  | 'INVALID_STATE'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'ENDPOINT_LIMIT_REACHED'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'UNAVAILABLE'
  | 'POST_MOVED';

/** Every failure has this form. */
export interface ErrorEnvelope {
  error: {
    /** Stable; branch on it. One of VALIDATION_ERROR, UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED, NOT_ACCEPTABLE, SLUG_TAKEN, INVALID_STATE, IDEMPOTENCY_IN_PROGRESS, ENDPOINT_LIMIT_REACHED, PRECONDITION_FAILED, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED, INTERNAL_ERROR, UNAVAILABLE, POST_MOVED. */
    code: string;
    /** For people. */
    message: string;
    /** Quote it in support requests. */
    requestId: string;
    details?: Array<{
      path: string;
      message: string;
    }>;
    /** With PRECONDITION_FAILED: the version that there is now. */
    currentVersion?: number;
  };
}

export interface Comment {
  id: string;
  /** Plain text; escape it before putting it into a page. */
  body: string;
  parentId: string | null;
  status: 'VISIBLE' | 'HIDDEN';
  createdAt: string;
  author?: {
    id: string;
    name: string;
  };
  /** True for an empty placeholder of a hidden or deleted comment that has replies. */
  deleted?: boolean;
  /** On a top comment: how many replies of its thread this page leaves out. Absent when none. */
  moreReplies?: number;
  /** Oldest first. */
  replies: Array<Comment>;
}

export interface SessionUser {
  id: string;
  name: string;
  email: string | null;
  blogRole: 'AUTHOR' | 'EDITOR' | null;
  operator: boolean;
}

export interface OpenedSession {
  accessToken: string;
  expiresAt: string;
  user: SessionUser;
}

export interface BrowserSession {
  expiresAt: string;
  user: SessionUser;
}

export interface Account {
  id: string;
  name: string;
  type: 'MERCHANT' | 'BUSINESS' | 'SITE' | 'PLATFORM';
}

export interface User {
  id: string;
  name: string;
  email: string | null;
  blogRole: 'AUTHOR' | 'EDITOR' | null;
  operator: boolean;
  disabled: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface ApiKey {
  id: string;
  accountId: string;
  accountName: string;
  name: string;
  /** The first characters of the key. */
  hint: string;
  scopes: Array<'blog:read' | 'webhooks:manage' | 'inbound:write' | 'events:publish' | 'admin'>;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

export interface IssuedApiKey {
  id: string;
  accountId: string;
  name: string;
  key: string;
  signingSecret: string;
  scopes: Array<'blog:read' | 'webhooks:manage' | 'inbound:write' | 'events:publish' | 'admin'>;
}

export interface Change {
  id: string;
  at: string;
  action:
    | 'account.created'
    | 'account.renamed'
    | 'member.added'
    | 'member.removed'
    | 'user.created'
    | 'user.updated'
    | 'user.disabled'
    | 'user.enabled'
    | 'user.password_changed'
    | 'api_key.created'
    | 'api_key.rotated'
    | 'api_key.revoked'
    | 'endpoint.created'
    | 'endpoint.updated'
    | 'endpoint.paused'
    | 'endpoint.resumed'
    | 'endpoint.deleted'
    | 'endpoint.disabled'
    | 'endpoint.opened'
    | 'delivery_retention.changed'
    | 'comment_settings.changed';
  actor: {
    /** SERVICE: the service by itself, or a setting at its start. */
    kind: 'USER' | 'API_KEY' | 'SERVICE';
    id: string | null;
    name: string | null;
    hint: string | null;
  };
  account: {
    id: string;
    /** As it is called now. */
    name: string;
  } | null;
  thing: {
    kind: 'ACCOUNT' | 'USER' | 'API_KEY' | 'ENDPOINT' | 'BUSINESS_SUBSCRIPTION' | 'COMMENT_SETTINGS';
    id: string | null;
    /** As it was called then; of an endpoint, its address. */
    name: string;
    /** It was deleted since. */
    isGone: boolean;
  };
  /** The fields that were changed, as they were. Secrets and the values of headers are never kept. */
  before: Record<string, unknown>;
  /** The same fields afterwards; of what was created, what it was created with. */
  after: Record<string, unknown>;
  requestId: string | null;
}

export interface SystemHealth {
  /** Of the service. */
  version: string;
  environment: string;
  /** Name of this process; owner of its leases. */
  node: string;
  startedAt: string;
  memory: {
    /** All that the process holds. */
    residentBytes: number;
    heapUsedBytes: number;
  };
  database: {
    kind: 'pglite' | 'postgres';
    version: string;
    /** How long the smallest question took, the way there and back included. */
    answerMs: number;
    sizeBytes: number;
    schema: string | null;
  };
  replica: {
    /** Whether reads go to it now; else the primary reads. */
    used: boolean;
    reason: 'starting' | 'away' | 'late' | 'promoted' | 'foreign' | 'conflict' | 'primary' | 'error' | null;
    lagBytes: number | null;
    lagMs: number | null;
  } | null;
  /** How nodes tell each other that something has changed. */
  bus: 'LOCAL' | 'POSTGRES' | 'NATS';
  /** False: each node counts for itself. */
  sharedRateLimits: boolean;
  /** Whether a mail server is set. */
  mail: boolean;
}

export interface AuditEvent {
  id: string;
  event: string;
  /** As it was published. */
  data: Record<string, unknown>;
  /** The audience. */
  accountIds: Array<string>;
  occurredAt: string;
  recordedAt: string;
  requestId: string;
  causedBy: string | null;
}

export interface EventInsights {
  since: string;
  until: string;
  bucket: 'minute' | 'hour' | 'day' | 'week' | 'month';
  total: number;
  /** Of the whole window, most frequent first. */
  events: Array<{
    event: string;
    count: number;
  }>;
  /** Every bucket in order, also without events. The first and the last may be cut by the window. */
  data: Array<{
    start: string;
    total: number;
    /** By name; names that did not occur are absent. */
    events: Record<string, number>;
  }>;
}

export interface Reader {
  name: string;
  description: string | null;
  events: Array<string> | null;
  /** Events of the log that it has not handled yet. */
  lag: number;
  /** Whether a node runs it; false 15 seconds after the last one died. */
  active: boolean;
  updatedAt: string;
  /** Events at which it failed and that it tries again by itself. */
  retrying: number;
  /** Events at which it failed for good; see its failures. */
  setAside: number;
}

export interface Failure {
  eventId: string;
  event: string;
  error: string;
  attempts: number;
  firstFailedAt: string;
  lastFailedAt: string;
  nextAttemptAt: string | null;
}

export interface PostSummary {
  id: string;
  slug: string;
  title: string;
  excerpt: string;
  coverImageUrl: string | null;
  coverImageAlt: string | null;
  category: string;
  tags: Array<string>;
  publishedAt: string;
  featured: boolean;
  readingMinutes: number;
  likeCount: number;
  commentCount: number;
  viewCount: number;
  shareCount: number;
  author: {
    name: string;
  };
}

export interface PostDetail {
  id: string;
  slug: string;
  title: string;
  excerpt: string;
  coverImageUrl: string | null;
  coverImageAlt: string | null;
  category: string;
  tags: Array<string>;
  publishedAt: string;
  featured: boolean;
  readingMinutes: number;
  likeCount: number;
  commentCount: number;
  viewCount: number;
  shareCount: number;
  author: {
    name: string;
  };
  /** Markdown, as written. */
  body: string;
  /** The body as HTML that is safe to put into any page. */
  bodyHtml: string;
  seo: {
    title: string;
    description: string;
    canonical: string | null;
    /** Names and contents of `<meta property>`. */
    openGraph: {
      'og:type': 'article';
      'og:title': string;
      'og:description': string;
      'og:url'?: string;
      'og:image'?: string;
      'og:image:alt'?: string;
      'article:published_time': string;
      'article:modified_time': string;
      'article:author': string;
      'article:section': string;
      'article:tag': Array<string>;
    };
    /** For a `script` element of type `application/ld+json`; escape `<` when writing it there. */
    jsonLd: {
      '@context': 'https://schema.org';
      '@type': 'BlogPosting';
      headline: string;
      description: string;
      datePublished: string;
      dateModified: string;
      author: {
        '@type': 'Person';
        name: string;
      };
      articleSection: string;
      keywords: Array<string>;
      image?: string;
      url?: string;
      mainEntityOfPage?: string;
    };
  };
  seoTitle: string | null;
  seoDescription: string | null;
  updatedAt: string;
  likedByMe: boolean;
  related: Array<PostSummary>;
}

export interface PostStateCounts {
  DRAFT: number;
  SCHEDULED: number;
  PUBLISHED: number;
  ARCHIVED: number;
}

export interface ManagedPostSummary {
  id: string;
  status: 'DRAFT' | 'SCHEDULED' | 'PUBLISHED' | 'ARCHIVED';
  /** Also the ETag; send it as If-Match. */
  version: number;
  title: string | null;
  slug: string | null;
  /** As written; may be empty. */
  excerpt: string;
  coverImageUrl: string | null;
  coverImageAlt: string | null;
  category: string | null;
  tags: Array<string>;
  seoTitle: string | null;
  seoDescription: string | null;
  featured: boolean;
  createdAt: string;
  /** Last change of content. */
  updatedAt: string;
  /** Last change of content or state, or import; the managed list is sorted by it. */
  changedAt: string;
  publishedAt: string | null;
  readingMinutes: number;
  likeCount: number;
  commentCount: number;
  viewCount: number;
  shareCount: number;
  author: {
    id: string;
    name: string;
  };
}

export interface WritablePost {
  /** Kept without white space around it. */
  title?: string;
  /** Derived from the title when absent. Once set it stays until it is changed. */
  slug?: string;
  /** Where empty, readers see the beginning of the body. */
  excerpt?: string;
  /** Markdown. */
  body?: string;
  coverImageUrl?: string | null;
  coverImageAlt?: string | null;
  category?: string;
  /** Tags that differ in case only are one: the first counts. */
  tags?: Array<string>;
  seoTitle?: string | null;
  seoDescription?: string | null;
  featured?: boolean;
}

export interface ManagedPost {
  id: string;
  status: 'DRAFT' | 'SCHEDULED' | 'PUBLISHED' | 'ARCHIVED';
  /** Also the ETag; send it as If-Match. */
  version: number;
  title: string | null;
  slug: string | null;
  /** As written; may be empty. */
  excerpt: string;
  coverImageUrl: string | null;
  coverImageAlt: string | null;
  category: string | null;
  tags: Array<string>;
  seoTitle: string | null;
  seoDescription: string | null;
  featured: boolean;
  createdAt: string;
  /** Last change of content. */
  updatedAt: string;
  /** Last change of content or state, or import; the managed list is sorted by it. */
  changedAt: string;
  publishedAt: string | null;
  readingMinutes: number;
  likeCount: number;
  commentCount: number;
  viewCount: number;
  shareCount: number;
  author: {
    id: string;
    name: string;
  };
  body: string;
}

export interface BlogInsights {
  since: string;
  until: string;
  bucket: 'day' | 'week' | 'month';
  views: number;
  /** That were not taken back. */
  likes: number;
  /** That are visible. */
  comments: number;
  shares: number;
  /** Posts that became public, and are. */
  published: number;
  /** Most first, by `top`. */
  topPosts: Array<{
    id: string;
    slug: string | null;
    title: string | null;
    publishedAt: string | null;
    views: number;
    /** That were not taken back. */
    likes: number;
    /** That are visible. */
    comments: number;
    shares: number;
  }>;
  /** Every bucket in order, also without readers. The first and the last may be cut by the window. */
  data: Array<{
    start: string;
    views: number;
    /** That were not taken back. */
    likes: number;
    /** That are visible. */
    comments: number;
    shares: number;
    /** Posts that became public, and are. */
    published: number;
  }>;
}

export interface Notification {
  id: string;
  /** Name of the event that it tells of; `webhook_endpoint.disabled` is none of the log, and has an id of its own. */
  event: string;
  eventId: string;
  offerId: string | null;
  tradeSessionId: string | null;
  /** Of the endpoint, beside `endpointId`. */
  accountId?: string;
  /** The endpoint that it is about: only with `webhook_endpoint.disabled`. */
  endpointId?: string;
  text: string;
  createdAt: string;
  readAt: string | null;
}

export interface NotificationSettings {
  /** Whether notifications also come by e-mail, where the service sends any. */
  email: boolean;
}

export interface Report {
  /** What happened; `fulfilled` is `fulfillment.completed`. */
  event:
    | 'payment.completed'
    | 'payment.failed'
    | 'item.reserved'
    | 'item.unreserved'
    | 'item.sold'
    | 'item.unavailable'
    | 'fulfillment.started'
    | 'fulfillment.completed'
    | 'returned'
    | 'cancelled'
    | 'fulfilled';
  tradeSessionId: string;
  /** The side of the trade that it is about. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** When it happened; default: now. Not later than in 5 minutes. */
  occurredAt?: string;
  /** payment.completed: what was paid. It must be what was to be paid. */
  amount?: number;
  /** Of `amount`, ISO 4217. */
  currency?: string;
  /** fulfillment.*: who carries the items. */
  carrier?: string;
  /** fulfillment.*: the carrier's number. */
  trackingNumber?: string;
  /** fulfillment.started: when the items are expected to arrive. */
  estimatedDeliveryAt?: string;
  /** item.sold: what is left of each listing. item.unavailable: which listings, and what is left of them; default: all that are reserved. */
  items?: Array<{
    listingId: string;
    /** Pieces that can still be had. */
    quantity?: number;
  }>;
}

export interface ReportReceipt {
  /** Of the report as it was recorded. */
  id: string;
  verdict: 'ACCEPTED' | 'REPEATED';
  event:
    | 'payment.completed'
    | 'payment.failed'
    | 'item.reserved'
    | 'item.unreserved'
    | 'item.sold'
    | 'item.unavailable'
    | 'fulfillment.started'
    | 'fulfillment.completed'
    | 'returned'
    | 'cancelled';
  tradeSessionId: string;
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** Of the trade, after it. */
  tradeStatus: 'CREATED' | 'ACCEPTED' | 'CHECKOUT' | 'HOLD' | 'FULFILLMENT' | 'COMPLETED' | 'CANCELLED';
}

export interface ReportError {
  code: string;
  message: string;
}

export interface InboundReport {
  id: string;
  accountId: string;
  event: string | null;
  unknownEvent: string | null;
  tradeSessionId: string | null;
  side: 'INITIATOR' | 'COUNTERPARTY' | null;
  /** REPEATED: the same was accepted before, and this one did nothing. REFUSED: see `error`. */
  verdict: 'ACCEPTED' | 'REPEATED' | 'REFUSED';
  error: ReportError | null;
  repeats: string | null;
  /** Requests with the same verdict and error that came later in the same minute and have no entry of their own. */
  further: number;
  occurredAt: string | null;
  receivedAt: string;
  requestId: string;
  /** The events that it caused. */
  eventIds: Array<string>;
}

export interface InboundReportDetail {
  id: string;
  accountId: string;
  event: string | null;
  unknownEvent: string | null;
  tradeSessionId: string | null;
  side: 'INITIATOR' | 'COUNTERPARTY' | null;
  /** REPEATED: the same was accepted before, and this one did nothing. REFUSED: see `error`. */
  verdict: 'ACCEPTED' | 'REPEATED' | 'REFUSED';
  error: ReportError | null;
  repeats: string | null;
  /** Requests with the same verdict and error that came later in the same minute and have no entry of their own. */
  further: number;
  occurredAt: string | null;
  receivedAt: string;
  requestId: string;
  /** The events that it caused. */
  eventIds: Array<string>;
  /** As it came; of what was not accepted the first 4096 characters. Empty where it could not be read. */
  body: string;
}

export interface TradeSide {
  /** The user of the marketplace. */
  userId: string;
  /** Account of the merchant whose checkout and fulfillment serve this side. */
  merchantAccountId: string;
  /** Items that this side brings; empty when it brings money only. */
  items: Array<{
    /** The listing of the item. */
    listingId: string;
    /** Account of the merchant that holds the item; gets its reservation events. */
    merchantAccountId: string;
    /** Listed price of one piece. */
    price: number;
    /** Pieces. */
    quantity: number;
  }>;
  /** What this side's checkout would cost without the trade. */
  originalPrice: number;
  /** What this side pays in its checkout. */
  tradeAmount: number;
  /** null before the trade is accepted, and null for a side that is served by an account which the caller may not see. */
  checkout: {
    status: 'OPEN' | 'COMPLETED' | 'FAILED';
    paidAt: string | null;
    /** Money was paid, in time or too late, and the trade was cancelled: what was really paid is due. */
    refundDue: boolean;
  } | null;
  /** null before both sides have paid, and null for a side that is served by an account which the caller may not see. */
  fulfillment: {
    /** `NOT_NEEDED`: this side brings no items. */
    status: 'NOT_NEEDED' | 'PENDING' | 'STARTED' | 'COMPLETED';
    carrier: string | null;
    trackingNumber: string | null;
    estimatedDeliveryAt: string | null;
    returnedAt: string | null;
  } | null;
}

export interface Reservation {
  id: string;
  side: 'INITIATOR' | 'COUNTERPARTY';
  merchantAccountId: string;
  items: Array<{
    listingId: string;
    quantity: number;
  }>;
  status: 'RESERVED' | 'CONFIRMED' | 'SOLD' | 'RELEASED' | 'EXPIRED' | 'UNAVAILABLE';
}

export interface Trade {
  tradeSessionId: string;
  offerId: string;
  status: 'CREATED' | 'ACCEPTED' | 'CHECKOUT' | 'HOLD' | 'FULFILLMENT' | 'COMPLETED' | 'CANCELLED';
  /** What ended it, of a cancelled trade. */
  reason:
    | 'UNRECIPROCATED'
    | 'DECLINED'
    | 'PAYMENT_FAILED'
    | 'RESERVATION_EXPIRED'
    | 'ITEM_UNAVAILABLE'
    | 'MERCHANT_CANCELLED'
    | 'OPERATOR_CANCELLED'
    | null;
  currency: string;
  initiator: TradeSide;
  counterparty: TradeSide;
  /** Those of accounts that the caller may see. */
  reservations: Array<Reservation>;
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface TradeDetail {
  tradeSessionId: string;
  offerId: string;
  status: 'CREATED' | 'ACCEPTED' | 'CHECKOUT' | 'HOLD' | 'FULFILLMENT' | 'COMPLETED' | 'CANCELLED';
  /** What ended it, of a cancelled trade. */
  reason:
    | 'UNRECIPROCATED'
    | 'DECLINED'
    | 'PAYMENT_FAILED'
    | 'RESERVATION_EXPIRED'
    | 'ITEM_UNAVAILABLE'
    | 'MERCHANT_CANCELLED'
    | 'OPERATOR_CANCELLED'
    | null;
  currency: string;
  initiator: TradeSide;
  counterparty: TradeSide;
  /** Those of accounts that the caller may see. */
  reservations: Array<Reservation>;
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** What happened, in its order: the offer, the trade, and what came of it. At most 500 of each kind. */
  timeline: Array<
    | {
        kind: 'EVENT';
        at: string;
        eventId: string;
        event: string;
        causedBy: string | null;
        requestId: string;
      }
    | {
        /** A merchant has reported something. */
        kind: 'REPORT';
        at: string;
        reportId: string;
        accountId: string;
        event: string | null;
        side: 'INITIATOR' | 'COUNTERPARTY' | null;
        verdict: string;
        message: string | null;
      }
    | {
        /** What moved the trade, or was refused; for operators. */
        kind: 'STEP';
        at: string;
        cause: string;
        /** After it. */
        status: string;
        refused: string | null;
        eventId: string | null;
        reportId: string | null;
      }
    | {
        /** What a user was told; for operators. */
        kind: 'NOTIFICATION';
        at: string;
        eventId: string;
        userId: string;
        text: string;
      }
    | {
        /** A change of a user's score; for operators. */
        kind: 'REPUTATION';
        at: string;
        eventId: string;
        userId: string;
        delta: number;
        reason: string;
      }
    | {
        kind: 'DELIVERY';
        at: string;
        deliveryId: string;
        eventId: string;
        /** Name of the webhook. */
        event: string;
        accountId: string;
        endpointId: string;
        status: string;
        attempts: number;
        replayOf: string | null;
      }
  >;
}

export interface ReputationChange {
  eventId: string;
  /** Name of the event that changed the score. */
  event: string;
  /** Points. */
  delta: number;
  reason: string;
  /** When the event happened. */
  at: string;
}

export interface Reputation {
  userId: string;
  /** 500 and the sum of all changes, not below 0 nor above 1000. */
  score: number;
  changes: Array<ReputationChange> | null;
  nextCursor: string | null;
}

export type MerchantWebhook =
  | 'listing.created'
  | 'listing.updated'
  | 'offer.created'
  | 'offer.accepted'
  | 'offer.rejected'
  | 'trade.created'
  | 'trade.accepted'
  | 'trade.completed'
  | 'trade.cancelled'
  | 'trade.counterparty_hold_started'
  | 'trade.closed_unreciprocated'
  | 'checkout.started'
  | 'checkout.completed'
  | 'checkout.failed'
  | 'reservation.created'
  | 'reservation.expired'
  | 'reservation.failed'
  | 'fulfillment.started'
  | 'fulfillment.completed'
  | 'seller.linked';

export interface WebhookEndpoint {
  id: string;
  accountId: string;
  url: string;
  /** What is sent there. */
  events: Array<string>;
  /** Also events that later versions add. */
  allEvents: boolean;
  description: string;
  /** Custom headers; their values are not shown. */
  headerNames: Array<string>;
  maxInFlight: number | null;
  ratePerSecond: number | null;
  status: 'ACTIVE' | 'PAUSED' | 'DISABLED';
  statusReason: string | null;
  /** It is disabled, and one held delivery is sent to see whether it is well again. */
  isProbing: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface AttemptCounts {
  attempts: number;
  failures: number;
  successRate: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface WebhookEndpointHealth {
  endpointId: string;
  status: 'ACTIVE' | 'PAUSED' | 'DISABLED';
  statusReason: string | null;
  lastHour: AttemptCounts;
  lastDay: AttemptCounts;
  lastSuccessAt: string | null;
  lastFailure: {
    at: string;
    errorClass: string | null;
    httpStatus: number | null;
  } | null;
  failingSince: string | null;
  disabledWhenFailingUntil: string | null;
  disabledAt: string | null;
  probe: {
    /** Of a DISABLED endpoint: SCHEDULED for `at`, or as soon as something is held after that; NONE waits for a resume. */
    state: 'NONE' | 'SCHEDULED' | 'UNDER_WAY';
    at: string | null;
    /** Failed ones since it was disabled. */
    failed: number;
  };
  /** 10000 means this many or more. */
  pending: number;
  /** 10000 means this many or more. */
  held: number;
  /** 10000 means this many or more. */
  dead: number;
  oldestPending: {
    createdAt: string;
    nextAttemptAt: string;
  } | null;
}

export interface Delivery {
  id: string;
  eventId: string;
  /** Name of the webhook. */
  event: string;
  endpointId: string;
  accountId: string;
  status: 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';
  /** Attempts made, 0 to 5. */
  attempts: number;
  nextAttemptAt: string | null;
  replayOf: string | null;
  isTest: boolean;
  errorClass: string | null;
  discardReason: string | null;
  /** Of the request that caused it. */
  requestId: string;
  createdAt: string;
  updatedAt: string;
}

export type BusinessWebhook =
  | 'space_booking.created'
  | 'space_booking.consent_required'
  | 'space_booking.consented'
  | 'space_booking.paid'
  | 'space_booking.cancelled'
  | 'space_booking.no_show'
  | 'space_booking.approval_requested'
  | 'space_booking.approved'
  | 'space_booking.completed';

export interface FeedItem {
  /** Behind this webhook. */
  cursor: string;
  eventId: string;
  /** Name of the webhook. */
  event: string;
  occurredAt: string;
  /** As a push would carry them, names in lower case: event id, both signatures, made now. None of a delivery, and none of the endpoint’s own. */
  headers: Record<string, string>;
  /** The exact text that is signed. */
  body: string;
}

export interface Feed {
  data: Array<FeedItem>;
  /** Where to go on, also when there is nothing now. */
  nextCursor: string;
  /** Whether to go on at once; a page can be short, or empty, and have more behind it. */
  hasMore: boolean;
}

export interface RoutingVerdict {
  webhook: string | null;
  /** Of a delivery its status; else why there is none. */
  code:
    | 'DELIVERED'
    | 'PENDING'
    | 'HELD'
    | 'DEAD'
    | 'DISCARDED'
    | 'NOT_REACHED_YET'
    | 'NOT_SUBSCRIBED'
    | 'SUBSCRIBED_LATER'
    | 'EXPIRED'
    | 'WRONG_KIND'
    | 'ENDPOINT_CREATED_LATER'
    | 'ENDPOINT_DELETED'
    | 'NO_WEBHOOK'
    | 'NO_ENDPOINT'
    | 'NO_AUDIENCE'
    | 'UNKNOWN_EVENT';
  /** The same as a sentence, for people. */
  message: string;
  subscribedNow: boolean | null;
  /** Deliveries, replays included. */
  deliveryCount: number;
  /** The first and the newest replays, up to 10, newest first. */
  deliveries: Array<Delivery>;
}

export interface RoutedEndpoint {
  accountId: string | null;
  endpointId: string | null;
  endpointUrl: string | null;
  endpointIsDeleted: boolean;
  kind: 'MERCHANT' | 'BUSINESS' | null;
  /** One for each webhook; at least one. */
  verdicts: Array<RoutingVerdict>;
}

export interface ListedDelivery {
  id: string;
  eventId: string;
  /** Name of the webhook. */
  event: string;
  endpointId: string;
  accountId: string;
  status: 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';
  /** Attempts made, 0 to 5. */
  attempts: number;
  nextAttemptAt: string | null;
  replayOf: string | null;
  isTest: boolean;
  errorClass: string | null;
  discardReason: string | null;
  /** Of the request that caused it. */
  requestId: string;
  createdAt: string;
  updatedAt: string;
  endpointUrl: string | null;
  endpointIsDeleted: boolean;
  lastReplay: {
    status: 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';
    createdAt: string;
  } | null;
}

export interface DeadLetterGroup {
  accountId: string;
  endpointId: string;
  endpointUrl: string | null;
  /** Nothing can be sent there any more: a replay leaves these out. */
  endpointIsDeleted: boolean;
  /** Why the last attempt of each failed. */
  errorClass: string;
  /** Up to 10000 for each webhook. */
  count: number;
  /** False: there are more, or may be. */
  countIsExact: boolean;
  replayed: {
    /** Those of which a later replay that sends the same again has arrived or is under way, as far as one is stored. `skipReplayed` leaves these out, and of others that send the same again all but one. */
    count: number;
    /** So many were looked at: of each webhook the newest 25. Replays of tests are not known. */
    of: number;
  };
  oldest: {
    deliveryId: string;
    /** Name of the webhook. */
    event: string;
    createdAt: string;
  };
  newest: {
    deliveryId: string;
    /** Name of the webhook. */
    event: string;
    createdAt: string;
  };
  lastMessage: string | null;
}

export type DeliveryErrorClass =
  | 'BLOCKED_TARGET'
  | 'DNS'
  | 'CONNECT'
  | 'TLS'
  | 'TIMEOUT'
  | 'RESET'
  | 'PROTOCOL'
  | 'HTTP_3XX'
  | 'HTTP_4XX'
  | 'HTTP_410'
  | 'HTTP_429'
  | 'HTTP_5XX'
  | 'INTERNAL'
  | 'NO_SIGNING_SECRET'
  | 'UNREADABLE_HEADERS'
  | 'SHUTDOWN'
  | 'ENDPOINT_DELETED'
  | 'REPLAYED'
  | 'PULLED'
  | 'BY_REQUEST';

export interface DeliveryJobPreview {
  /** Deliveries that fit, without those that are past their retention, those that `skipReplayed` leaves out, and for a replay those of deleted endpoints. */
  count: number;
  /** False: not all were looked at, and there may be more. */
  countIsExact: boolean;
  /** The 100 with most of them. */
  endpoints: Array<{
    endpointId: string;
    count: number;
  }>;
}

export type DeliveryJobState = 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';

export interface DeliveryFilter {
  status: string;
  event?: string;
  eventId?: string;
  endpointId?: string;
  errorClass?: string;
  tradeSessionId?: string;
  since?: string;
  until?: string;
}

export interface DeliveryJob {
  id: string;
  kind: 'REPLAY' | 'DISCARD';
  state: DeliveryJobState;
  accountId: string | null;
  filter: DeliveryFilter;
  endpointUrl: string | null;
  /** The endpoint of `filter` is. */
  endpointIsDeleted: boolean;
  reason: string | null;
  ratePerSecond: number | null;
  skipReplayed: boolean;
  /** How many it was told to do, as counted when it was made, or more where it came to more. Of one that is COMPLETED: what it came to and was to do, done or not (`CHANGED`, `UNDER_WAY`); with `skipReplayed` what it did. */
  total: number;
  /** False: there may be more than `total`. */
  totalIsExact: boolean;
  /** Replayed or discarded so far. */
  done: number;
  /** Left out so far, by reason: `CHANGED` (it has another status by now), `ENDPOINT_DELETED`, `EXPIRED` (past its retention), `REPLAYED`, `UNDER_WAY`. */
  skipped: Record<string, number>;
  error: string | null;
  requestId: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface DeliveryRetention {
  accountId: string;
  days: number | null;
  /** `DELIVERY_RETENTION_DAYS`; 0: for ever. */
  usualDays: number;
}

export interface Percentiles {
  p50: number;
  p95: number;
}

export interface DeliveryInsights {
  since: string;
  until: string;
  bucket: 'minute' | 'hour' | 'day' | 'week' | 'month';
  total: number;
  delivered: number;
  /** Waiting for their next attempt. */
  pending: number;
  /** Kept, since their endpoint is paused or disabled. */
  held: number;
  /** Dead letters. */
  dead: number;
  discarded: number;
  attempts: number;
  failedAttempts: number;
  successRate: number | null;
  attemptMs: Percentiles | null;
  deliveredAfterMs: Percentiles | null;
  /** Deliveries of which `attemptMs` (how long an attempt took) and `deliveredAfterMs` (from the making of a delivery to its arrival) were computed: all of them, or of more than some thousands a part, picked by chance in each bucket. */
  sampled: number;
  /** Why their last attempt failed, most frequent first. */
  deadLetters: Array<{
    reason: string | null;
    count: number;
  }>;
  /** Of all that wait now, whenever they were made. */
  oldestPending: {
    id: string;
    event: string;
    endpointId: string;
    attempts: number;
    createdAt: string;
    nextAttemptAt: string | null;
  } | null;
  /** With `groupBy`: the whole window by endpoint or event, most dead letters first, 100 at most. */
  groups: Array<{
    endpointId: string | null;
    event: string | null;
    total: number;
    delivered: number;
    /** Waiting for their next attempt. */
    pending: number;
    /** Kept, since their endpoint is paused or disabled. */
    held: number;
    /** Dead letters. */
    dead: number;
    discarded: number;
    attempts: number;
    failedAttempts: number;
    successRate: number | null;
  }>;
  /** Every bucket in order, also without deliveries. The first and the last may be cut by the window. */
  data: Array<{
    start: string;
    total: number;
    delivered: number;
    /** Waiting for their next attempt. */
    pending: number;
    /** Kept, since their endpoint is paused or disabled. */
    held: number;
    /** Dead letters. */
    dead: number;
    discarded: number;
    attempts: number;
    failedAttempts: number;
    successRate: number | null;
    attemptMs: Percentiles | null;
    deliveredAfterMs: Percentiles | null;
  }>;
}

export type DeadLetterErrorClass =
  | 'BLOCKED_TARGET'
  | 'DNS'
  | 'CONNECT'
  | 'TLS'
  | 'TIMEOUT'
  | 'RESET'
  | 'PROTOCOL'
  | 'HTTP_3XX'
  | 'HTTP_4XX'
  | 'HTTP_410'
  | 'HTTP_429'
  | 'HTTP_5XX'
  | 'INTERNAL';

/** An item is listed for trade. */
export interface ListingCreatedWebhook {
  /** Name of the event. */
  event: 'listing.created';
  /** The listing. */
  listingId: string;
  /** Account of the merchant that holds the item. */
  merchantAccountId: string;
  /** What is listed. */
  title: string;
  /** Listed price of one piece. */
  price: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** Pieces that can still be had. */
  quantity: number;
  /** Whether it can be had. */
  status: 'AVAILABLE' | 'RESERVED' | 'SOLD' | 'UNAVAILABLE';
  /** The user who sells it. */
  sellerUserId?: string;
  /** Page of the listing. */
  url?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A listing changes, also because its item was sold or became unavailable. Has only the changed fields. */
export interface ListingUpdatedWebhook {
  /** Name of the event. */
  event: 'listing.updated';
  /** The listing. */
  listingId: string;
  /** Account of the merchant that holds the item. */
  merchantAccountId: string;
  /** What is listed. */
  title?: string;
  /** Listed price of one piece. */
  price?: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency?: string;
  /** Pieces that can still be had. */
  quantity?: number;
  /** Whether it can be had. */
  status?: 'AVAILABLE' | 'RESERVED' | 'SOLD' | 'UNAVAILABLE';
  /** The user who sells it. */
  sellerUserId?: string;
  /** Page of the listing. */
  url?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A user offers a trade to another; also for the new offer that a counter-offer is. */
export interface OfferCreatedWebhook {
  /** Name of the event. */
  event: 'offer.created';
  /** The offer. */
  offerId: string;
  /** The side that made the offer. */
  initiator: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** The side to which it was made. */
  counterparty: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** The offer that this one answers, if it is a counter-offer. */
  counterOf?: string;
  /** When the offer lapses. */
  expiresAt?: string;
  /** What the initiator wrote. */
  message?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The counterparty accepts the offer. A trade session is created from it. */
export interface OfferAcceptedWebhook {
  /** Name of the event. */
  event: 'offer.accepted';
  /** The offer. */
  offerId: string;
  /** The side that made the offer. */
  initiator: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** The side to which it was made. */
  counterparty: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The counterparty turns the offer down. */
export interface OfferRejectedWebhook {
  /** Name of the event. */
  event: 'offer.rejected';
  /** The offer. */
  offerId: string;
  /** Who made the offer. */
  initiator: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
  };
  /** To whom it was made. */
  counterparty: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
  };
  /** What the counterparty wrote. */
  reason?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A trade session is opened for an accepted offer. */
export interface TradeCreatedWebhook {
  /** Name of the event. */
  event: 'trade.created';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The accepted offer. */
  offerId: string;
  /** Side INITIATOR: who made the offer. */
  initiator: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** Side COUNTERPARTY: who accepted it. */
  counterparty: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** Both sides have confirmed the trade session. One checkout per side is created from it. */
export interface TradeAcceptedWebhook {
  /** Name of the event. */
  event: 'trade.accepted';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The accepted offer. */
  offerId: string;
  /** Side INITIATOR: who made the offer. */
  initiator: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** Side COUNTERPARTY: who accepted it. */
  counterparty: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
    /** Items that this side brings; empty when it brings money only. */
    items: Array<{
      /** The listing of the item. */
      listingId: string;
      /** Account of the merchant that holds the item; gets its reservation events. */
      merchantAccountId: string;
      /** Listed price of one piece. */
      price: number;
      /** Pieces. */
      quantity: number;
    }>;
    /** What this side's checkout would cost without the trade. */
    originalPrice: number;
    /** What this side pays in its checkout. */
    tradeAmount: number;
  };
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** Both sides have paid and both fulfillments are completed. */
export interface TradeCompletedWebhook {
  /** Name of the event. */
  event: 'trade.completed';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** Side INITIATOR. */
  initiator: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
  };
  /** Side COUNTERPARTY. */
  counterparty: {
    /** The user of the marketplace. */
    userId: string;
    /** Account of the merchant whose checkout and fulfillment serve this side. */
    merchantAccountId: string;
  };
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The trade ends without being completed. Both sides get the same body; it says nothing of who caused it. */
export interface TradeCancelledWebhook {
  /** Name of the event. */
  event: 'trade.cancelled';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** What ended it. `UNRECIPROCATED`: one side had paid and the hold ran out before the other did. */
  reason:
    | 'UNRECIPROCATED'
    | 'DECLINED'
    | 'PAYMENT_FAILED'
    | 'RESERVATION_EXPIRED'
    | 'ITEM_UNAVAILABLE'
    | 'MERCHANT_CANCELLED'
    | 'OPERATOR_CANCELLED';
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** One side has completed its checkout, and the trade is held until the other side has. */
export interface TradeCounterpartyHoldStartedWebhook {
  /** Name of the event. */
  event: 'trade.counterparty_hold_started';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side that has completed its checkout. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** What that side has paid. */
  tradeAmount: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** When the trade is cancelled unless the other side completes before. */
  holdExpiresAt?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The hold ran out: one side had paid and the other did not, so the trade was cancelled. */
export interface TradeClosedUnreciprocatedWebhook {
  /** Name of the event. */
  event: 'trade.closed_unreciprocated';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The checkout of one side is opened: once per side of an accepted trade. */
export interface CheckoutStartedWebhook {
  /** Name of the event. */
  event: 'checkout.started';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side whose checkout it is. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** What the checkout would cost without the trade. */
  originalPrice: number;
  /** What is to be paid. */
  tradeAmount: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** One side has paid. */
export interface CheckoutCompletedWebhook {
  /** Name of the event. */
  event: 'checkout.completed';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side that has paid. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** The user of that side. */
  userId: string;
  /** Account of the merchant of that side. */
  merchantAccountId: string;
  /** What the checkout would have cost without the trade. */
  originalPrice: number;
  /** What was paid. */
  tradeAmount: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** Whether the other side had paid already. */
  counterpartyCompleted: boolean;
  /** When the trade is cancelled unless the other side pays before; absent when it has. */
  holdExpiresAt?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A checkout of the trade fails. Both sides get the same body; it says nothing of whose checkout it was. */
export interface CheckoutFailedWebhook {
  /** Name of the event. */
  event: 'checkout.failed';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** What went wrong. */
  reason: 'PAYMENT_FAILED' | 'TIMEOUT' | 'ITEM_UNAVAILABLE' | 'CANCELLED';
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** Items are reserved for a trade: the merchant locks them in its own inventory. */
export interface ReservationCreatedWebhook {
  /** Name of the event. */
  event: 'reservation.created';
  /** The reservation: all items that one side brings from one merchant. */
  reservationId: string;
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side that brings the items. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** Account of the merchant that holds the items. */
  merchantAccountId: string;
  /** What is reserved. */
  items: Array<{
    /** The listing of the item. */
    listingId: string;
    /** Pieces. */
    quantity: number;
  }>;
  /** When the reservation ends unless the trade goes on: once a side has paid, it lasts longer. Unlock the items on `reservation.expired`; where this time has passed without one, ask `GET /v1/trades/{tradeSessionId}` before they go to somebody else. */
  expiresAt: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A reservation ends without a sale: the merchant unlocks the items. None comes by the end of a trade for items of a side whose fulfillment was reported as started or completed: they may be on their way. */
export interface ReservationExpiredWebhook {
  /** Name of the event. */
  event: 'reservation.expired';
  /** The reservation: all items that one side brings from one merchant. */
  reservationId: string;
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side that brings the items. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** Account of the merchant that holds the items. */
  merchantAccountId: string;
  /** What is reserved. */
  items: Array<{
    /** The listing of the item. */
    listingId: string;
    /** Pieces. */
    quantity: number;
  }>;
  /** `TIMEOUT`: its time ran out. `RELEASED`: the merchant or the trade gave it up. `UNAVAILABLE`: the merchant does not have the items. */
  cause: 'TIMEOUT' | 'RELEASED' | 'UNAVAILABLE';
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** Reserved items turn out to be unavailable. */
export interface ReservationFailedWebhook {
  /** Name of the event. */
  event: 'reservation.failed';
  /** The reservation: all items that one side brings from one merchant. */
  reservationId: string;
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side that brings the items. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** Account of the merchant that holds the items. */
  merchantAccountId: string;
  /** What is reserved. */
  items: Array<{
    /** The listing of the item. */
    listingId: string;
    /** Pieces. */
    quantity: number;
  }>;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The merchant of one side starts to hand over that side's items. */
export interface FulfillmentStartedWebhook {
  /** Name of the event. */
  event: 'fulfillment.started';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side whose items are handed over. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** Account of the merchant that fulfils. */
  merchantAccountId: string;
  /** The user of that side. */
  userId: string;
  /** The user of the other side, who gets the items. */
  recipientUserId: string;
  /** Who carries the items. */
  carrier?: string;
  /** The carrier's number. */
  trackingNumber?: string;
  /** When the items are expected to arrive. */
  estimatedDeliveryAt?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** One side's items have been handed over. When both have, `trade.completed` follows. */
export interface FulfillmentCompletedWebhook {
  /** Name of the event. */
  event: 'fulfillment.completed';
  /** The trade session. Receivers deduplicate by this together with `event`. */
  tradeSessionId: string;
  /** The side whose items are handed over. */
  side: 'INITIATOR' | 'COUNTERPARTY';
  /** Account of the merchant that fulfils. */
  merchantAccountId: string;
  /** The user of that side. */
  userId: string;
  /** The user of the other side, who gets the items. */
  recipientUserId: string;
  /** Who carries the items. */
  carrier?: string;
  /** The carrier's number. */
  trackingNumber?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A user of the marketplace is linked as a seller to a merchant. */
export interface SellerLinkedWebhook {
  /** Name of the event. */
  event: 'seller.linked';
  /** The user who sells. */
  sellerUserId: string;
  /** Account of the merchant. */
  merchantAccountId: string;
  /** The seller's id in the merchant's own system. */
  merchantSellerId?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A booking is created. */
export interface SpaceBookingCreatedWebhook {
  /** Name of the event. */
  event: 'space_booking.created';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** What the booking costs. */
  price: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** Whether the host has to approve it. */
  approvalRequired: boolean;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The booking needs a consent before it can go on. */
export interface SpaceBookingConsentRequiredWebhook {
  /** Name of the event. */
  event: 'space_booking.consent_required';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** What has to be consented to. */
  consent: string;
  /** Until when. */
  consentDueAt?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The consent is given. */
export interface SpaceBookingConsentedWebhook {
  /** Name of the event. */
  event: 'space_booking.consented';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** What was consented to. */
  consent: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** Payment is taken. */
export interface SpaceBookingPaidWebhook {
  /** Name of the event. */
  event: 'space_booking.paid';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** What was paid. */
  amount: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The booking is cancelled, or the host declines it (reason `HOST_DECLINED`). */
export interface SpaceBookingCancelledWebhook {
  /** Name of the event. */
  event: 'space_booking.cancelled';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** Why. */
  reason:
    | 'GUEST_CANCELLED'
    | 'HOST_CANCELLED'
    | 'HOST_DECLINED'
    | 'CONSENT_REFUSED'
    | 'PAYMENT_FAILED'
    | 'TIMEOUT'
    | 'OPERATOR_CANCELLED';
  /** The reason in the words of who cancelled. */
  note?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The guest did not appear. */
export interface SpaceBookingNoShowWebhook {
  /** Name of the event. */
  event: 'space_booking.no_show';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** A booking that needs host approval is created; no payment has been taken yet. */
export interface SpaceBookingApprovalRequestedWebhook {
  /** Name of the event. */
  event: 'space_booking.approval_requested';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** What the booking costs. */
  price: number;
  /** Currency of every amount in this event, ISO 4217. */
  currency: string;
  /** Until when the host can approve. */
  approvalDueAt?: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The host clears the booking. */
export interface SpaceBookingApprovedWebhook {
  /** Name of the event. */
  event: 'space_booking.approved';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The booked time is over and the booking is completed. */
export interface SpaceBookingCompletedWebhook {
  /** Name of the event. */
  event: 'space_booking.completed';
  /** The booking. */
  bookingId: string;
  /** The booked space. */
  spaceId: string;
  /** Account of the business that rents out the space. */
  businessAccountId: string;
  /** The user who books. */
  guestUserId: string;
  /** Start of the booked time. */
  startsAt: string;
  /** End of the booked time. */
  endsAt: string;
  /** When it happened, UTC with milliseconds. */
  timestamp: string;
}

/** The body of any webhook; `event` tells which. */
export type WebhookEvent =
  | ListingCreatedWebhook
  | ListingUpdatedWebhook
  | OfferCreatedWebhook
  | OfferAcceptedWebhook
  | OfferRejectedWebhook
  | TradeCreatedWebhook
  | TradeAcceptedWebhook
  | TradeCompletedWebhook
  | TradeCancelledWebhook
  | TradeCounterpartyHoldStartedWebhook
  | TradeClosedUnreciprocatedWebhook
  | CheckoutStartedWebhook
  | CheckoutCompletedWebhook
  | CheckoutFailedWebhook
  | ReservationCreatedWebhook
  | ReservationExpiredWebhook
  | ReservationFailedWebhook
  | FulfillmentStartedWebhook
  | FulfillmentCompletedWebhook
  | SellerLinkedWebhook
  | SpaceBookingCreatedWebhook
  | SpaceBookingConsentRequiredWebhook
  | SpaceBookingConsentedWebhook
  | SpaceBookingPaidWebhook
  | SpaceBookingCancelledWebhook
  | SpaceBookingNoShowWebhook
  | SpaceBookingApprovalRequestedWebhook
  | SpaceBookingApprovedWebhook
  | SpaceBookingCompletedWebhook;

/** What each operation takes and gives. */
export interface Operations {
  /** Sign up as a reader */
  signUp: {
    input: {
      body: {
        /** Case is ignored. */
        email: string;
        name: string;
        password: string;
      };
    };
    reply: OpenedSession;
  };
  /** Sign in with e-mail and password */
  signIn: {
    input: {
      body: {
        /** Case is ignored. */
        email: string;
        password: string;
      };
    };
    reply: OpenedSession;
  };
  /** Sign in from a page of this service */
  openBrowserSession: {
    input: {
      body: {
        /** Case is ignored. */
        email: string;
        password: string;
      };
    };
    reply: BrowserSession;
  };
  /** End this session */
  signOut: {
    input: Record<string, never>;
    reply: undefined;
  };
  /** Who is signed in, and for which accounts */
  getMe: {
    input: Record<string, never>;
    reply: {
      user: SessionUser;
      accounts: Array<Account>;
    };
  };
  /** Change one’s password */
  changePassword: {
    input: {
      body: {
        currentPassword: string;
        newPassword: string;
      };
    };
    reply: undefined;
  };
  /** Become the first operator */
  setUpOperator: {
    input: {
      body: {
        token: string;
        /** Case is ignored. */
        email: string;
        name: string;
        password: string;
      };
    };
    reply: OpenedSession;
  };
  /** List accounts */
  listAccounts: {
    input: {
      /** Part of the name. */
      q?: string;
      type?: 'MERCHANT' | 'BUSINESS' | 'SITE' | 'PLATFORM';
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<Account>;
    };
    item: Account;
  };
  /** Create an account */
  createAccount: {
    input: {
      body: {
        name: string;
        type: 'MERCHANT' | 'BUSINESS' | 'SITE' | 'PLATFORM';
      };
    };
    reply: Account;
  };
  /** An account */
  getAccount: {
    input: {
      id: string;
    };
    reply: Account;
  };
  /** Rename an account */
  updateAccount: {
    input: {
      id: string;
      body: {
        name: string;
      };
    };
    reply: Account;
  };
  /** List the members of an account */
  listMembers: {
    input: {
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
      id: string;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<User>;
    };
    item: User;
  };
  /** Make a user a member of an account */
  addMember: {
    input: {
      id: string;
      userId: string;
    };
    reply: undefined;
  };
  /** End a membership */
  removeMember: {
    input: {
      id: string;
      userId: string;
    };
    reply: undefined;
  };
  /** List users */
  listUsers: {
    input: {
      /** Part of the name or address. */
      q?: string;
      blogRole?: 'AUTHOR' | 'EDITOR';
      operator?: boolean;
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<User>;
    };
    item: User;
  };
  /** Create a user */
  createUser: {
    input: {
      body: {
        /** Case is ignored. */
        email: string;
        name: string;
        password: string;
        blogRole?: 'AUTHOR' | 'EDITOR' | null;
        operator?: boolean;
      };
    };
    reply: User;
  };
  /** A user, and the accounts of which it is a member */
  getUser: {
    input: {
      id: string;
    };
    reply: {
      id: string;
      name: string;
      email: string | null;
      blogRole: 'AUTHOR' | 'EDITOR' | null;
      operator: boolean;
      disabled: boolean;
      createdAt: string;
      updatedAt: string;
      accounts: Array<Account>;
    };
  };
  /** Change a user: name, e-mail, roles, password; disable or enable */
  updateUser: {
    input: {
      id: string;
      body?: {
        name?: string;
        /** Case is ignored. */
        email?: string;
        blogRole?: 'AUTHOR' | 'EDITOR' | null;
        operator?: boolean;
        disabled?: boolean;
        password?: string;
      };
    };
    reply: User;
  };
  /** List API keys */
  listApiKeys: {
    input: {
      accountId?: string;
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<ApiKey>;
    };
    item: ApiKey;
  };
  /** Give an account an API key and a signing secret */
  createApiKey: {
    input: {
      body: {
        accountId: string;
        name: string;
        scopes: Array<'blog:read' | 'webhooks:manage' | 'inbound:write' | 'events:publish' | 'admin'>;
      };
    };
    reply: IssuedApiKey;
  };
  /** Replace an API key and its signing secret */
  rotateApiKey: {
    input: {
      id: string;
      body?: {
        /** How long the old key and secret stay valid. Seconds; 0: they are revoked now. */
        overlapSeconds?: number;
      };
    };
    reply: IssuedApiKey;
  };
  /** Revoke an API key and its signing secret */
  revokeApiKey: {
    input: {
      id: string;
    };
    reply: undefined;
  };
  /** API keys of one’s account, newest first */
  listAccountApiKeys: {
    input: {
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
      id: string;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<ApiKey>;
    };
    item: ApiKey;
  };
  /** Give one’s account an API key and a signing secret */
  createAccountApiKey: {
    input: {
      id: string;
      body: {
        name: string;
        /** Keys that publish events or administer are given by operators. */
        scopes: Array<'blog:read' | 'webhooks:manage' | 'inbound:write'>;
      };
    };
    reply: IssuedApiKey;
  };
  /** Replace an API key of one’s account and its signing secret */
  rotateAccountApiKey: {
    input: {
      id: string;
      keyId: string;
      body?: {
        /** How long the old key and secret stay valid. Seconds; 0: they are revoked now. */
        overlapSeconds?: number;
      };
    };
    reply: IssuedApiKey;
  };
  /** Revoke an API key of one’s account and its signing secret */
  revokeAccountApiKey: {
    input: {
      id: string;
      keyId: string;
    };
    reply: undefined;
  };
  /** Who changed the configuration, newest first */
  listChanges: {
    input: {
      /** That concern this account. */
      accountId?: string;
      /** Made by this user or API key. */
      actorId?: string;
      /** Of this account, user, key, endpoint or subscription. */
      thingId?: string;
      /** One, or several of them: `action=api_key.created&action=api_key.rotated`. */
      action?:
        | Array<
            | 'account.created'
            | 'account.renamed'
            | 'member.added'
            | 'member.removed'
            | 'user.created'
            | 'user.updated'
            | 'user.disabled'
            | 'user.enabled'
            | 'user.password_changed'
            | 'api_key.created'
            | 'api_key.rotated'
            | 'api_key.revoked'
            | 'endpoint.created'
            | 'endpoint.updated'
            | 'endpoint.paused'
            | 'endpoint.resumed'
            | 'endpoint.deleted'
            | 'endpoint.disabled'
            | 'endpoint.opened'
            | 'delivery_retention.changed'
            | 'comment_settings.changed'
          >
        | 'account.created'
        | 'account.renamed'
        | 'member.added'
        | 'member.removed'
        | 'user.created'
        | 'user.updated'
        | 'user.disabled'
        | 'user.enabled'
        | 'user.password_changed'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'endpoint.created'
        | 'endpoint.updated'
        | 'endpoint.paused'
        | 'endpoint.resumed'
        | 'endpoint.deleted'
        | 'endpoint.disabled'
        | 'endpoint.opened'
        | 'delivery_retention.changed'
        | 'comment_settings.changed';
      /** Made at this time or later. */
      since?: string;
      /** Made before this time. */
      until?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<Change>;
      nextCursor: string | null;
    };
    item: Change;
  };
  /** Who changed what of one’s account, newest first */
  listAccountChanges: {
    input: {
      /** Made by this user or API key. */
      actorId?: string;
      /** Of this account, user, key, endpoint or subscription. */
      thingId?: string;
      /** One, or several of them: `action=api_key.created&action=api_key.rotated`. */
      action?:
        | Array<
            | 'account.created'
            | 'account.renamed'
            | 'member.added'
            | 'member.removed'
            | 'user.created'
            | 'user.updated'
            | 'user.disabled'
            | 'user.enabled'
            | 'user.password_changed'
            | 'api_key.created'
            | 'api_key.rotated'
            | 'api_key.revoked'
            | 'endpoint.created'
            | 'endpoint.updated'
            | 'endpoint.paused'
            | 'endpoint.resumed'
            | 'endpoint.deleted'
            | 'endpoint.disabled'
            | 'endpoint.opened'
            | 'delivery_retention.changed'
            | 'comment_settings.changed'
          >
        | 'account.created'
        | 'account.renamed'
        | 'member.added'
        | 'member.removed'
        | 'user.created'
        | 'user.updated'
        | 'user.disabled'
        | 'user.enabled'
        | 'user.password_changed'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'endpoint.created'
        | 'endpoint.updated'
        | 'endpoint.paused'
        | 'endpoint.resumed'
        | 'endpoint.deleted'
        | 'endpoint.disabled'
        | 'endpoint.opened'
        | 'delivery_retention.changed'
        | 'comment_settings.changed';
      /** Made at this time or later. */
      since?: string;
      /** Made before this time. */
      until?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
      id: string;
    };
    reply: {
      data: Array<Change>;
      nextCursor: string | null;
    };
    item: Change;
  };
  /** How the node that answers fares */
  getSystemHealth: {
    input: Record<string, never>;
    reply: SystemHealth;
  };
  /** Publish one event or a batch */
  publishEvents: {
    input: {
      body:
        | {
            /** Name of an internal event; see GET /v1/event-types. */
            event: string;
            /** Fits the schema of the event. */
            data: Record<string, unknown>;
            /** The audience: existing accounts, each counted once. */
            accountIds: Array<string>;
            /** When it happened; default: now. Not later than in a day, by the clock of the service or the database, whichever is later. */
            occurredAt?: string;
            events?: Array<{
              /** Name of an internal event; see GET /v1/event-types. */
              event: string;
              /** Fits the schema of the event. */
              data: Record<string, unknown>;
              /** The audience: existing accounts, each counted once. */
              accountIds: Array<string>;
              /** When it happened; default: now. Not later than in a day, by the clock of the service or the database, whichever is later. */
              occurredAt?: string;
            }>;
          }
        | {
            /** Name of an internal event; see GET /v1/event-types. */
            event?: string;
            /** Fits the schema of the event. */
            data?: Record<string, unknown>;
            /** The audience: existing accounts, each counted once. */
            accountIds?: Array<string>;
            /** When it happened; default: now. Not later than in a day, by the clock of the service or the database, whichever is later. */
            occurredAt?: string;
            events: Array<{
              /** Name of an internal event; see GET /v1/event-types. */
              event: string;
              /** Fits the schema of the event. */
              data: Record<string, unknown>;
              /** The audience: existing accounts, each counted once. */
              accountIds: Array<string>;
              /** When it happened; default: now. Not later than in a day, by the clock of the service or the database, whichever is later. */
              occurredAt?: string;
            }>;
          };
    };
    reply: {
      data: Array<{
        id: string;
        event: string;
      }>;
    };
  };
  /** The audit trail, newest first */
  listEvents: {
    input: {
      event?: string;
      tradeSessionId?: string;
      /** What the event is about: the id of a trade, offer, listing, booking or user. */
      subjectId?: string;
      /** Events that reactions to this one published. */
      causedBy?: string;
      /** Published by this request, and what followed from it. */
      requestId?: string;
      /** Events whose audience names this account. */
      accountId?: string;
      /** Recorded at this time or later. */
      since?: string;
      /** Recorded before this time. */
      until?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<AuditEvent>;
      nextCursor: string | null;
    };
    item: AuditEvent;
  };
  /** The audit trail, oldest first, as NDJSON */
  exportEvents: {
    input: {
      event?: string;
      tradeSessionId?: string;
      /** What the event is about: the id of a trade, offer, listing, booking or user. */
      subjectId?: string;
      /** Events that reactions to this one published. */
      causedBy?: string;
      /** Published by this request, and what followed from it. */
      requestId?: string;
      /** Events whose audience names this account. */
      accountId?: string;
      /** Recorded at this time or later. */
      since?: string;
      /** Recorded before this time. */
      until?: string;
      /** Only events behind the one of this id. */
      after?: string;
    };
    reply: ReadableStream<Uint8Array>;
  };
  /** One event of the audit trail */
  getEvent: {
    input: {
      id: string;
    };
    reply: AuditEvent;
  };
  /** The catalogue of events */
  listEventTypes: {
    input: Record<string, never>;
    reply: {
      data: Array<{
        event: string;
        description: string;
        /** False for webhooks that are derived from another event. */
        internal: boolean;
        derivedFrom: string | null;
        webhook: 'MERCHANT' | 'BUSINESS' | null;
        /** JSON Schema of `data`. */
        schema: Record<string, unknown>;
        /** A whole webhook body. */
        example: Record<string, unknown>;
      }>;
    };
  };
  /** How many events were recorded when, by name */
  getEventInsights: {
    input: {
      /** From this time on. Default: 60 buckets of a minute, 24 buckets of an hour, 30 buckets of a day, 13 buckets of a week, 12 buckets of a month, up to `until`. */
      since?: string;
      /** Before this time. Default: now. */
      until?: string;
      /** By what is counted, in UTC; weeks begin on Monday. At most 1000. Default: the shortest that gives at most 200. */
      bucket?: 'minute' | 'hour' | 'day' | 'week' | 'month';
      event?: string;
      /** Events whose audience names this account. */
      accountId?: string;
    };
    reply: EventInsights;
  };
  /** Readers of the event log */
  listReaders: {
    input: Record<string, never>;
    reply: {
      data: Array<Reader>;
    };
  };
  /** Events at which a reaction failed */
  listReaderFailures: {
    input: {
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
      /** Name of a reader. */
      name: string;
    };
    reply: {
      data: Array<Failure>;
      nextCursor: string | null;
    };
    item: Failure;
  };
  /** Try an event again */
  retryReaderFailure: {
    input: {
      /** Name of a reader. */
      name: string;
      eventId: string;
    };
    reply: undefined;
  };
  /** Have a reaction read the log again from its start */
  rebuildReader: {
    input: {
      /** Name of a reader. */
      name: string;
    };
    reply: undefined;
  };
  /** Public posts, page by page */
  listPosts: {
    input: {
      /** Default: `relevance` with `q`, else `newest`. */
      sort?:
        | 'newest'
        | 'oldest'
        | 'most_viewed'
        | 'most_liked'
        | 'most_commented'
        | 'most_shared'
        | 'trending'
        | 'relevance';
      /** Words in title, tags, excerpt or body, without regard to case and accents; all must be there. `"a phrase"`, `-without`; the last word may be unfinished. At most 200 matches are counted and sorted: of more, the newest, with `oldest` the oldest, by `relevance` also those with all words in the title. */
      q?: string;
      /** Upper and lower case are the same. */
      category?: string;
      /** May repeat: a post must have all. */
      tag?: Array<string> | string;
      featured?: boolean;
      /** Name of the author; upper and lower case are the same. */
      author?: string;
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      sort:
        | 'newest'
        | 'oldest'
        | 'most_viewed'
        | 'most_liked'
        | 'most_commented'
        | 'most_shared'
        | 'trending'
        | 'relevance';
      page: number;
      pages: number;
      total: number;
      data: Array<PostSummary>;
    };
    item: PostSummary;
  };
  /** A public post */
  getPost: {
    input: {
      slug: string;
    };
    reply: PostDetail;
  };
  /** Address and dates of every public post */
  getIndex: {
    input: {
      /** Only what changed since then: `asOf` of the reply before. Times of your own can miss a change. */
      since?: string;
    };
    reply: {
      /** Length of `data`. */
      total: number;
      data: Array<{
        slug: string;
        publishedAt: string;
        updatedAt: string;
      }>;
      /** Send this as `since` the next time. */
      asOf: string;
      /** With `since`. True: `data` is the whole index, and what is not in it is public no more. */
      full?: boolean;
      /** With `since`: addresses that were public and are not, or that only redirect, the last to go first. */
      removed?: Array<{
        slug: string;
        removedAt: string;
      }>;
    };
  };
  /** Categories and tags with their counts */
  getTaxonomy: {
    input: Record<string, never>;
    reply: {
      categories: Array<{
        name: string;
        count: number;
      }>;
      tags: Array<{
        name: string;
        count: number;
      }>;
    };
  };
  /** Like a post */
  likePost: {
    input: {
      slug: string;
    };
    reply: {
      liked: boolean;
      likeCount: number;
    };
  };
  /** Take a like back */
  unlikePost: {
    input: {
      slug: string;
    };
    reply: {
      liked: boolean;
      likeCount: number;
    };
  };
  /** Count a read of a post */
  viewPost: {
    input: {
      slug: string;
    };
    reply: {
      viewCount: number;
    };
  };
  /** Count that a post was passed on */
  sharePost: {
    input: {
      slug: string;
      body: {
        /** Where to: `email`, `mastodon`, `copy-link`. Lower-case letters, digits and single dashes. */
        channel: string;
      };
    };
    reply: {
      shareCount: number;
    };
  };
  /** Comments of a public post, page by page */
  listComments: {
    input: {
      sort?: 'oldest' | 'newest';
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
      slug: string;
    };
    reply: {
      sort: 'oldest' | 'newest';
      page: number;
      pages: number;
      total: number;
      data: Array<Comment>;
    };
    item: Comment;
  };
  /** Comment on a public post, or reply to a comment */
  createComment: {
    input: {
      slug: string;
      body: {
        /** Plain text. 1 to 4000 characters, not counting white space around it. */
        body: string;
        /** Makes it a reply to this visible comment of the same post. */
        parentId?: string;
      };
    };
    reply: Comment;
  };
  /** All visible replies in the thread of a top comment */
  listReplies: {
    input: {
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
      id: string;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<Comment>;
    };
    item: Comment;
  };
  /** Remove an own comment */
  deleteComment: {
    input: {
      id: string;
    };
    reply: undefined;
  };
  /** Tell the moderators of a comment */
  reportComment: {
    input: {
      id: string;
      body: {
        /** What is wrong with it. 1 to 1000 characters, not counting white space around it. */
        reason: string;
      };
    };
    reply: {
      reported: true;
    };
  };
  /** Who writes here: the caller and their blog role */
  getBlogMe: {
    input: Record<string, never>;
    reply: {
      id: string;
      name: string;
      role: 'AUTHOR' | 'EDITOR';
    };
  };
  /** Own posts of an author, every post for an editor */
  listManagedPosts: {
    input: {
      status?: 'DRAFT' | 'SCHEDULED' | 'PUBLISHED' | 'ARCHIVED';
      /** Words as in the public list, or the beginning of a slug. */
      q?: string;
      /** Latest first by change or by publication (drafts last), or highest first by a counter. Ties go by id. Default: `changed`, behind the post whose slug is `q`. */
      sort?: 'changed' | 'published' | 'most_viewed' | 'most_liked' | 'most_commented';
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      counts: PostStateCounts;
      page: number;
      pages: number;
      total: number;
      data: Array<ManagedPostSummary>;
    };
    item: ManagedPostSummary;
  };
  /** Create a draft */
  createPost: {
    input: {
      body?: WritablePost;
    };
    reply: ManagedPost;
  };
  /** Whether a slug is free, and which one to take */
  suggestSlug: {
    input: {
      /** Need not be valid: an invalid one is not available. */
      slug?: string;
      /** Looked at without `slug`. */
      title?: string;
      /** The post that wants it: its own are free to it. */
      postId?: string;
    };
    reply: {
      /** The one asked for, or made of the title. */
      slug: string;
      available: boolean;
      /** The same if available, else one near it that is. */
      suggestion: string;
    };
  };
  /** A post in full, in whatever state */
  getManagedPost: {
    input: {
      id: string;
    };
    reply: ManagedPost;
  };
  /** Change the fields given */
  updatePost: {
    input: {
      /** Saved by an editor on its own: of autosaves in a row, one revision in five minutes is kept. */
      autosave?: boolean;
      id: string;
      /** Only when this is still the version: else PRECONDITION_FAILED. */
      ifMatch?: number;
      body?: WritablePost;
    };
    reply: ManagedPost;
  };
  /** Remove a post with its likes and comments */
  deletePost: {
    input: {
      id: string;
      /** Only when this is still the version: else PRECONDITION_FAILED. */
      ifMatch?: number;
    };
    reply: undefined;
  };
  /** Publish now, or at a time */
  publishPost: {
    input: {
      id: string;
      /** Only when this is still the version: else PRECONDITION_FAILED. */
      ifMatch?: number;
      body?: {
        /** In the past: publishes with that date. */
        at?: string;
      };
    };
    reply: ManagedPost;
  };
  /** Archive a public post; make a scheduled or archived one a draft */
  unpublishPost: {
    input: {
      id: string;
      /** Only when this is still the version: else PRECONDITION_FAILED. */
      ifMatch?: number;
    };
    reply: ManagedPost;
  };
  /** What a Markdown text will look like */
  renderPost: {
    input: {
      body: {
        /** Markdown. */
        body: string;
      };
    };
    reply: {
      /** As readers get it. */
      bodyHtml: string;
      /** Headings, in order. */
      toc: Array<{
        level: number;
        text: string;
        /** Of the heading in `bodyHtml`. */
        id: string;
      }>;
      readingMinutes: number;
      words: number;
      /** What readers see of it in lists where the post has no excerpt of its own. */
      excerpt: string;
    };
  };
  /** What to mend before publishing */
  checkPost: {
    input: {
      id: string;
    };
    reply: {
      /** No problem is an ERROR: publishing would not refuse the post. */
      ready: boolean;
      problems: Array<{
        code:
          | 'FIELD_MISSING'
          | 'EXCERPT_MISSING'
          | 'COVER_WITHOUT_ALT'
          | 'TITLE_NOT_UNIQUE'
          | 'TITLE_LONG'
          | 'IMAGE_WITHOUT_ALT'
          | 'LINK_WITHOUT_TEXT'
          | 'LINK_TO_NOWHERE'
          | 'HEADING_LEVEL_SKIPPED'
          | 'LEFT_OUT'
          | 'BODY_NOT_CHECKED';
        severity: 'ERROR' | 'WARNING';
        message: string;
        /** Name of the field. */
        path: string;
        /** Line in the body, from 1. */
        line?: number;
      }>;
    };
  };
  /** A link that shows the post before it is public */
  createPreviewLink: {
    input: {
      id: string;
      body?: {
        /** Lifetime: a minute to 30 days. */
        expiresInSeconds?: number;
      };
    };
    reply: {
      /** For programs: the post as JSON. */
      url: string;
      pageUrl: string | null;
      token: string;
      expiresAt: string;
    };
  };
  /** End all preview links of the post */
  endPreviewLinks: {
    input: {
      id: string;
    };
    reply: undefined;
  };
  /** What a preview link shows */
  getPreview: {
    input: {
      token: string;
    };
    reply: PostDetail;
  };
  /** Former contents of a post */
  listRevisions: {
    input: {
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
      id: string;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<{
        /** The version that the post got with this content. */
        number: number;
        /** The last version of the post with this content. */
        version: number;
        title: string | null;
        words: number;
        savedAt: string;
        savedBy: {
          id: string;
          name: string;
        };
        autosaved: boolean;
        /** Readers saw this content. */
        wasPublic: boolean;
      }>;
    };
    item: {
      /** The version that the post got with this content. */
      number: number;
      /** The last version of the post with this content. */
      version: number;
      title: string | null;
      words: number;
      savedAt: string;
      savedBy: {
        id: string;
        name: string;
      };
      autosaved: boolean;
      /** Readers saw this content. */
      wasPublic: boolean;
    };
  };
  /** A former content, or the present one, in full */
  getRevision: {
    input: {
      id: string;
      /** Number of a revision, or any version of the post that had its content. */
      number: number;
    };
    reply: {
      /** The version that the post got with this content. */
      number: number;
      /** The last version of the post with this content. */
      version: number;
      title: string | null;
      words: number;
      savedAt: string;
      savedBy: {
        id: string;
        name: string;
      };
      autosaved: boolean;
      /** Readers saw this content. */
      wasPublic: boolean;
      slug: string | null;
      /** As written; may be empty. */
      excerpt: string;
      coverImageUrl: string | null;
      coverImageAlt: string | null;
      category: string | null;
      tags: Array<string>;
      seoTitle: string | null;
      seoDescription: string | null;
      featured: boolean;
      body: string;
    };
  };
  /** What changed since a former content */
  diffRevision: {
    input: {
      /** Version of the post to compare with. Default: the present one. */
      against?: number;
      id: string;
      /** Number of a revision, or any version of the post that had its content. */
      number: number;
    };
    reply: {
      from: {
        number: number;
        version: number;
      };
      to: {
        number: number;
        version: number;
      };
      /** Fields other than the body that differ. */
      fields: Array<{
        field: string;
        from: string | boolean | null | Array<string>;
        to: string | boolean | null | Array<string>;
      }>;
      body: {
        /** Lines. */
        added: number;
        /** Lines. */
        removed: number;
        /** False: too different; everything from the first to the last difference is shown as replaced. */
        exact: boolean;
        hunks: Array<{
          /** First line in `from`; lines count from 1. */
          fromLine: number;
          fromCount: number;
          toLine: number;
          toCount: number;
          /** Each begins with a space (in both), `-` (from) or `+` (to). */
          lines: Array<string>;
        }>;
      };
    };
  };
  /** Make a former content the present one */
  restoreRevision: {
    input: {
      id: string;
      /** Number of a revision, or any version of the post that had its content. */
      number: number;
      /** Only when this is still the version: else PRECONDITION_FAILED. */
      ifMatch?: number;
    };
    reply: ManagedPost;
  };
  /** Bring posts in from elsewhere, and again */
  importPosts: {
    input: {
      body: {
        posts: Array<{
          /** As `title` of a post. */
          title?: unknown;
          /** As `slug` of a post. */
          slug?: unknown;
          /** As `excerpt` of a post. */
          excerpt?: unknown;
          /** As `body` of a post. */
          body?: unknown;
          /** As `coverImageUrl` of a post. */
          coverImageUrl?: unknown;
          /** As `coverImageAlt` of a post. */
          coverImageAlt?: unknown;
          /** As `category` of a post. */
          category?: unknown;
          /** As `tags` of a post. */
          tags?: unknown;
          /** As `seoTitle` of a post. */
          seoTitle?: unknown;
          /** As `seoDescription` of a post. */
          seoDescription?: unknown;
          /** As `featured` of a post. */
          featured?: unknown;
          /** Path of the file; the same on every run. */
          source: string;
          /** UUID that a new post gets, so that a post keeps it when it moves. A post that is here under it already, from elsewhere than this source, is left alone. */
          id?: unknown;
          /** Slug to begin with when the source is new and `slug` is absent; `-2`, `-3` follow when it is taken. */
          slugHint?: unknown;
          /** Slugs of its past, up to 1,000, that go on leading to it. */
          oldSlugs?: unknown;
          /** Name of the author: a user who cannot sign in, made when there is none of this name. Absent: the importing editor's post, and on a later run whose it is. */
          author?: unknown;
          /** E-mail of the author. A user of this address with a blog role becomes the author; else `author` counts. */
          authorEmail?: unknown;
          /** RFC 3339. Absent: a draft. In the future: scheduled. */
          publishedAt?: unknown;
          /** RFC 3339, with `publishedAt`: the post is archived. */
          archivedAt?: unknown;
          /** RFC 3339: when it was public for the first time, at the latest at `publishedAt`, which is the default. */
          firstPublicAt?: unknown;
          /** RFC 3339. Default: now. */
          createdAt?: unknown;
          /** RFC 3339: the last change of content. */
          updatedAt?: unknown;
          /** Up to 500 comments, a parent before its replies; those that are known stay as they are. Send the post again with further ones: it stays unchanged. */
          comments?: unknown;
        }>;
        /** Says what would be done and does nothing. */
        dryRun?: boolean;
      };
    };
    reply: {
      data: Array<{
        /** Path of the file; the same on every run. */
        source: string;
        /** Skipped: left alone on purpose. Failed: cannot be held as it is. */
        outcome: 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed';
        reason: string | null;
        postId: string | null;
        slug: string | null;
        /** What was left out of it, such as an old slug of another post. */
        notes: Array<string>;
        comments: {
          created: number;
          unchanged: number;
          skipped: number;
          reason: string | null;
        } | null;
      }>;
    };
  };
  /** Every post with all its fields and comments, as NDJSON */
  exportPosts: {
    input: {
      /** Only posts after the one of this id. */
      after?: string;
      /** `false`: posts only. */
      comments?: boolean;
    };
    reply: ReadableStream<Uint8Array>;
  };
  /** Comments on own posts of an author, every comment for an editor */
  listManagedComments: {
    input: {
      status?: 'VISIBLE' | 'HIDDEN';
      postId?: string;
      /** Only those with open reports. */
      reported?: true;
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<{
        id: string;
        body: string;
        parentId: string | null;
        status: 'VISIBLE' | 'HIDDEN';
        createdAt: string;
        author: {
          id: string;
          name: string;
        };
        post: {
          id: string;
          slug: string | null;
          title: string | null;
        };
        /** Reports that no moderator has decided on. */
        reportCount: number;
        heldReason: string | null;
      }>;
    };
    item: {
      id: string;
      body: string;
      parentId: string | null;
      status: 'VISIBLE' | 'HIDDEN';
      createdAt: string;
      author: {
        id: string;
        name: string;
      };
      post: {
        id: string;
        slug: string | null;
        title: string | null;
      };
      /** Reports that no moderator has decided on. */
      reportCount: number;
      heldReason: string | null;
    };
  };
  /** Show or hide up to 100 comments */
  moderateComments: {
    input: {
      body: {
        ids: Array<string>;
        status: 'VISIBLE' | 'HIDDEN';
        /** For the moderation log. */
        reason?: string;
      };
    };
    reply: {
      /** One for each id of the request, in its order. */
      data: Array<{
        id: string;
        outcome: 'CHANGED' | 'UNCHANGED' | 'NOT_FOUND';
        status: 'VISIBLE' | 'HIDDEN' | null;
      }>;
    };
  };
  /** A comment with its reports */
  getManagedComment: {
    input: {
      id: string;
    };
    reply: {
      id: string;
      body: string;
      parentId: string | null;
      status: 'VISIBLE' | 'HIDDEN';
      createdAt: string;
      author: {
        id: string;
        name: string;
      };
      post: {
        id: string;
        slug: string | null;
        title: string | null;
      };
      /** Reports that no moderator has decided on. */
      reportCount: number;
      heldReason: string | null;
      /** The latest 100, newest first. */
      reports: Array<{
        reason: string;
        reporter: {
          id: string;
          name: string;
        };
        createdAt: string;
        /** False once a moderator decided on the comment. */
        open: boolean;
      }>;
    };
  };
  /** Show or hide a comment */
  moderateComment: {
    input: {
      id: string;
      body: {
        status: 'VISIBLE' | 'HIDDEN';
        /** For the moderation log. */
        reason?: string;
      };
    };
    reply: {
      id: string;
      body: string;
      parentId: string | null;
      status: 'VISIBLE' | 'HIDDEN';
      createdAt: string;
      author: {
        id: string;
        name: string;
      };
      post: {
        id: string;
        slug: string | null;
        title: string | null;
      };
      /** Reports that no moderator has decided on. */
      reportCount: number;
      heldReason: string | null;
    };
  };
  /** What moderators and rules did to comments, for editors */
  listModerationLog: {
    input: {
      commentId?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<{
        id: string;
        commentId: string;
        post: {
          id: string;
          slug: string | null;
          title: string | null;
        } | null;
        author: {
          id: string;
          name: string;
        } | null;
        actor: {
          id: string;
          name: string;
        } | null;
        rule: string | null;
        from: 'VISIBLE' | 'HIDDEN' | null;
        to: 'VISIBLE' | 'HIDDEN';
        reason: string | null;
        createdAt: string;
      }>;
      nextCursor: string | null;
    };
    item: {
      id: string;
      commentId: string;
      post: {
        id: string;
        slug: string | null;
        title: string | null;
      } | null;
      author: {
        id: string;
        name: string;
      } | null;
      actor: {
        id: string;
        name: string;
      } | null;
      rule: string | null;
      from: 'VISIBLE' | 'HIDDEN' | null;
      to: 'VISIBLE' | 'HIDDEN';
      reason: string | null;
      createdAt: string;
    };
  };
  /** What holds new comments back, for editors */
  getCommentSettings: {
    input: Record<string, never>;
    reply: {
      /** Every comment waits until a moderator shows it. */
      preModeration: boolean;
      /** A comment with more links is held. */
      maxLinks: number;
      /** A text that its author has written within this time is held, one of less than 30 characters (10 in scripts without spaces) without an address, @ or a digit only on the same post; 0: never. Seconds. */
      repeatSeconds: number;
      /** Words and phrases that are held. Case, accents and spacing make no difference; a `*` at an end matches inside of words too. */
      blockedWords: Array<string>;
      updatedAt: string | null;
      updatedBy: {
        id: string;
        name: string;
      } | null;
    };
  };
  /** Change the fields given, for editors */
  updateCommentSettings: {
    input: {
      body?: {
        /** Every comment waits until a moderator shows it. */
        preModeration?: boolean;
        /** A comment with more links is held. */
        maxLinks?: number;
        /** A text that its author has written within this time is held, one of less than 30 characters (10 in scripts without spaces) without an address, @ or a digit only on the same post; 0: never. Seconds. */
        repeatSeconds?: number;
        /** Words and phrases that are held. Case, accents and spacing make no difference; a `*` at an end matches inside of words too. */
        blockedWords?: Array<string>;
      };
    };
    reply: {
      /** Every comment waits until a moderator shows it. */
      preModeration: boolean;
      /** A comment with more links is held. */
      maxLinks: number;
      /** A text that its author has written within this time is held, one of less than 30 characters (10 in scripts without spaces) without an address, @ or a digit only on the same post; 0: never. Seconds. */
      repeatSeconds: number;
      /** Words and phrases that are held. Case, accents and spacing make no difference; a `*` at an end matches inside of words too. */
      blockedWords: Array<string>;
      updatedAt: string | null;
      updatedBy: {
        id: string;
        name: string;
      } | null;
    };
  };
  /** What readers did with posts, and what was published */
  getBlogInsights: {
    input: {
      /** From this time on. Default: 30 buckets of a day, 13 buckets of a week, 12 buckets of a month, up to `until`. */
      since?: string;
      /** Before this time. Default: now. */
      until?: string;
      /** By what is counted, in UTC; weeks begin on Monday. At most 1000. Default: the shortest that gives at most 200. */
      bucket?: 'day' | 'week' | 'month';
      /** Of this post only. */
      postId?: string;
      /** By what `topPosts` are chosen. */
      top?: 'views' | 'likes' | 'comments' | 'shares';
      /** Length of `topPosts`. */
      limit?: number;
    };
    reply: BlogInsights;
  };
  /** The user's notifications, newest first */
  listNotifications: {
    input: {
      /** Only those that were not read. */
      unread?: boolean;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      /** Of all, how many were not read. */
      unread: number;
      data: Array<Notification>;
      nextCursor: string | null;
    };
    item: Notification;
  };
  /** Mark a notification as read */
  readNotification: {
    input: {
      id: string;
    };
    reply: undefined;
  };
  /** Mark all notifications as read */
  readAllNotifications: {
    input: Record<string, never>;
    reply: undefined;
  };
  /** How the user is told */
  getNotificationSettings: {
    input: Record<string, never>;
    reply: NotificationSettings;
  };
  /** Turn e-mails on or off */
  updateNotificationSettings: {
    input: {
      body: {
        /** Whether notifications also come by e-mail, where the service sends any. */
        email: boolean;
      };
    };
    reply: NotificationSettings;
  };
  /** Report payment, stock or fulfillment of a trade */
  receiveReport: {
    input: {
      accountId?: string;
      /** Of the account: the body is signed with it. */
      signingSecret: string;
      body: Report;
    };
    reply: ReportReceipt;
  };
  /** Reports that came in, newest first */
  listReports: {
    input: {
      accountId?: string;
      tradeSessionId?: string;
      verdict?: 'ACCEPTED' | 'REPEATED' | 'REFUSED';
      /** `fulfilled` is recorded as `fulfillment.completed`. */
      event?:
        | 'payment.completed'
        | 'payment.failed'
        | 'item.reserved'
        | 'item.unreserved'
        | 'item.sold'
        | 'item.unavailable'
        | 'fulfillment.started'
        | 'fulfillment.completed'
        | 'returned'
        | 'cancelled';
      /** Received at this time or later. */
      since?: string;
      /** Received before this time. */
      until?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<InboundReport>;
      nextCursor: string | null;
    };
    item: InboundReport;
  };
  /** A report as it came, with its verdict and the events that it caused */
  getReport: {
    input: {
      id: string;
    };
    reply: InboundReportDetail;
  };
  /** Trades, newest first */
  listTrades: {
    input: {
      accountId?: string;
      status?: 'CREATED' | 'ACCEPTED' | 'CHECKOUT' | 'HOLD' | 'FULFILLMENT' | 'COMPLETED' | 'CANCELLED';
      offerId?: string;
      /** Opened at this time or later. */
      since?: string;
      /** Opened before this time. */
      until?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<Trade>;
      nextCursor: string | null;
    };
    item: Trade;
  };
  /** A trade with all that happened */
  getTrade: {
    input: {
      tradeSessionId: string;
    };
    reply: TradeDetail;
  };
  /** End a trade */
  cancelTrade: {
    input: {
      tradeSessionId: string;
    };
    reply: Trade;
  };
  /** Score of a user, and the changes that made it */
  getReputation: {
    input: {
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
      /** The user, as events name them; a UUID in either case. */
      id: string;
    };
    reply: Reputation;
  };
  /** Register an endpoint for merchant events */
  createEndpoint: {
    input: {
      accountId?: string;
      body: {
        /** http(s) address that takes POST. */
        url: string;
        /** Default: every event of the kind. */
        events?: Array<MerchantWebhook>;
        description?: string;
        /** Sent along with every request; names are letters, digits and hyphens, up to 64, and those of the protocol and of Posthorn are refused. */
        headers?: Record<string, string>;
        maxInFlight?: number | null;
        ratePerSecond?: number | null;
      };
    };
    reply: WebhookEndpoint;
  };
  /** List them, newest first */
  listEndpoints: {
    input: {
      accountId?: string;
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<WebhookEndpoint>;
    };
    item: WebhookEndpoint;
  };
  /** One of them */
  getEndpoint: {
    input: {
      id: string;
    };
    reply: WebhookEndpoint;
  };
  /** Change it; `events: null` means every event of the kind */
  updateEndpoint: {
    input: {
      id: string;
      body: {
        /** http(s) address that takes POST. */
        url?: string;
        events?: Array<MerchantWebhook> | null;
        description?: string;
        /** Sent along with every request; names are letters, digits and hyphens, up to 64, and those of the protocol and of Posthorn are refused. */
        headers?: Record<string, string>;
        maxInFlight?: number | null;
        ratePerSecond?: number | null;
      };
    };
    reply: WebhookEndpoint;
  };
  /** Remove it; what waits for it is discarded */
  deleteEndpoint: {
    input: {
      id: string;
    };
    reply: undefined;
  };
  /** How it fares */
  getEndpointHealth: {
    input: {
      id: string;
    };
    reply: WebhookEndpointHealth;
  };
  /** Keep deliveries instead of sending them */
  pauseEndpoint: {
    input: {
      id: string;
    };
    reply: WebhookEndpoint;
  };
  /** Send again, beginning with what was kept; a disabled one is tried with one delivery first */
  resumeEndpoint: {
    input: {
      id: string;
    };
    reply: WebhookEndpoint;
  };
  /** Send an example event */
  testEndpoint: {
    input: {
      id: string;
      body?: {
        event?: string;
      };
    };
    reply: Delivery;
  };
  /** Register a business subscription to space booking events */
  createBusinessSubscription: {
    input: {
      accountId?: string;
      body: {
        /** http(s) address that takes POST. */
        url: string;
        /** Default: every event of the kind. */
        events?: Array<BusinessWebhook>;
        description?: string;
        /** Sent along with every request; names are letters, digits and hyphens, up to 64, and those of the protocol and of Posthorn are refused. */
        headers?: Record<string, string>;
        maxInFlight?: number | null;
        ratePerSecond?: number | null;
      };
    };
    reply: WebhookEndpoint;
  };
  /** List them, newest first */
  listBusinessSubscriptions: {
    input: {
      accountId?: string;
      /** Page, from 1. */
      page?: number;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      page: number;
      pages: number;
      total: number;
      data: Array<WebhookEndpoint>;
    };
    item: WebhookEndpoint;
  };
  /** One of them */
  getBusinessSubscription: {
    input: {
      id: string;
    };
    reply: WebhookEndpoint;
  };
  /** Change it; `events: null` means every event of the kind */
  updateBusinessSubscription: {
    input: {
      id: string;
      body: {
        /** http(s) address that takes POST. */
        url?: string;
        events?: Array<BusinessWebhook> | null;
        description?: string;
        /** Sent along with every request; names are letters, digits and hyphens, up to 64, and those of the protocol and of Posthorn are refused. */
        headers?: Record<string, string>;
        maxInFlight?: number | null;
        ratePerSecond?: number | null;
      };
    };
    reply: WebhookEndpoint;
  };
  /** Remove it; what waits for it is discarded */
  deleteBusinessSubscription: {
    input: {
      id: string;
    };
    reply: undefined;
  };
  /** How it fares */
  getBusinessSubscriptionHealth: {
    input: {
      id: string;
    };
    reply: WebhookEndpointHealth;
  };
  /** Keep deliveries instead of sending them */
  pauseBusinessSubscription: {
    input: {
      id: string;
    };
    reply: WebhookEndpoint;
  };
  /** Send again, beginning with what was kept; a disabled one is tried with one delivery first */
  resumeBusinessSubscription: {
    input: {
      id: string;
    };
    reply: WebhookEndpoint;
  };
  /** Send an example event */
  testBusinessSubscription: {
    input: {
      id: string;
      body?: {
        event?: string;
      };
    };
    reply: Delivery;
  };
  /** Send an event of the past */
  sendEventToEndpoint: {
    input: {
      id: string;
      body: {
        /** An event whose audience names the account. */
        eventId: string;
        /** Name of the webhook, where the event causes two; default: the first. */
        event?: string;
      };
    };
    reply: Delivery;
  };
  /** Send an event of the past */
  sendEventToBusinessSubscription: {
    input: {
      id: string;
      body: {
        /** An event whose audience names the account. */
        eventId: string;
        /** Name of the webhook, where the event causes two; default: the first. */
        event?: string;
      };
    };
    reply: Delivery;
  };
  /** Read its webhooks, oldest first */
  getEndpointFeed: {
    input: {
      /** Of an item, or `nextCursor`. */
      cursor?: string;
      /** Without a cursor: from the creation of the endpoint (default), or what comes from now on. */
      from?: 'start' | 'now';
      /** Items per page. */
      limit?: number;
      /** Where there is nothing: wait for so many seconds for the first. */
      wait?: number;
      id: string;
    };
    reply: Feed;
  };
  /** Say what was read */
  ackEndpointFeed: {
    input: {
      id: string;
      body: {
        /** Of an item, or `nextCursor`. */
        cursor: string;
      };
    };
    reply: {
      /** Held deliveries that were discarded at once. */
      discarded: number;
      /** Whether there may be more of them; they follow soon. */
      hasMore: boolean;
    };
  };
  /** Read its webhooks, oldest first */
  getBusinessSubscriptionFeed: {
    input: {
      /** Of an item, or `nextCursor`. */
      cursor?: string;
      /** Without a cursor: from the creation of the endpoint (default), or what comes from now on. */
      from?: 'start' | 'now';
      /** Items per page. */
      limit?: number;
      /** Where there is nothing: wait for so many seconds for the first. */
      wait?: number;
      id: string;
    };
    reply: Feed;
  };
  /** Say what was read */
  ackBusinessSubscriptionFeed: {
    input: {
      id: string;
      body: {
        /** Of an item, or `nextCursor`. */
        cursor: string;
      };
    };
    reply: {
      /** Held deliveries that were discarded at once. */
      discarded: number;
      /** Whether there may be more of them; they follow soon. */
      hasMore: boolean;
    };
  };
  /** Who was sent an event, and who was not and why */
  explainRouting: {
    input: {
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
      id: string;
    };
    reply: {
      eventId: string;
      event: string;
      recordedAt: string;
      /** Webhooks that the event causes, derived ones included. */
      webhooks: Array<string>;
      /** Whether the fan-out has passed the event; then every delivery that it causes is there. */
      fannedOut: boolean;
      /** The endpoints of the audience that the caller may see, deleted ones included. */
      data: Array<RoutedEndpoint>;
      nextCursor: string | null;
    };
    item: RoutedEndpoint;
  };
  /** Deliveries, newest first */
  listDeliveries: {
    input: {
      accountId?: string;
      status?: 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';
      /** Name of the webhook. */
      event?: string;
      /** An event of the audit trail; what tests send is not in it. */
      eventId?: string;
      endpointId?: string;
      errorClass?: DeliveryErrorClass | (string & {});
      /** A list has deliveries of its last 10,000 events; a job on a trade of so many is refused. */
      tradeSessionId?: string;
      since?: string;
      until?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<ListedDelivery>;
      nextCursor: string | null;
    };
    item: ListedDelivery;
  };
  /** A delivery with every attempt */
  getDelivery: {
    input: {
      id: string;
    };
    reply: {
      id: string;
      eventId: string;
      /** Name of the webhook. */
      event: string;
      endpointId: string;
      accountId: string;
      status: 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';
      /** Attempts made, 0 to 5. */
      attempts: number;
      nextAttemptAt: string | null;
      replayOf: string | null;
      isTest: boolean;
      errorClass: string | null;
      discardReason: string | null;
      /** Of the request that caused it. */
      requestId: string;
      createdAt: string;
      updatedAt: string;
      endpointUrl: string | null;
      endpointIsDeleted: boolean;
      /** All that keeps a HELD one now, where `errorClass` has what did when it was held; none: it is sent within half a minute, or discarded where the endpoint is deleted. */
      heldBy: Array<'ENDPOINT_PAUSED' | 'ENDPOINT_DISABLED' | 'NO_SIGNING_SECRET' | 'UNREADABLE_HEADERS'>;
      /** The last ten deliveries that are replays of this one, newest first, as far as they are stored: one past its retention is told here, and 404 by itself. Of a test none are known. */
      replays: Array<{
        id: string;
        status: 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';
        createdAt: string;
      }>;
      url: string | null;
      body: string | null;
      /** Every attempt, oldest first. */
      log: Array<{
        attempt: number;
        at: string;
        durationMs: number;
        connectMs: number | null;
        firstByteMs: number | null;
        url: string | null;
        /** The endpoint's own by their names; without them where these are not kept: of an attempt that arrived at once, when the endpoint got another address or other headers, or was deleted, after it or less than ten seconds before. */
        requestHeaders: Record<string, string>;
        responseStatus: number | null;
        responseHeaders: Record<string, string> | null;
        responseBody: string | null;
        errorClass: string | null;
        errorMessage: string | null;
      }>;
    };
  };
  /** Deliver it again, as a new delivery */
  replayDelivery: {
    input: {
      id: string;
    };
    reply: Delivery;
  };
  /** End a delivery that did not arrive */
  discardDelivery: {
    input: {
      id: string;
      body: {
        /** Kept and shown. */
        reason: string;
      };
    };
    reply: Delivery;
  };
  /** Dead letters by endpoint and cause */
  listDeadLetters: {
    input: {
      accountId?: string;
      /** Name of the webhook. */
      event?: string;
      endpointId?: string;
      errorClass?: DeadLetterErrorClass | (string & {});
      since?: string;
      until?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<DeadLetterGroup>;
      nextCursor: string | null;
    };
    item: DeadLetterGroup;
  };
  /** Replay all that fit a filter, or count them */
  replayDeliveries: {
    input: {
      accountId?: string;
      body: {
        filter: {
          /** What is replayed or discarded has this status. */
          status: 'DEAD' | 'PENDING' | 'HELD' | 'DELIVERED' | 'DISCARDED';
          /** Name of the webhook. */
          event?: string;
          /** An event of the audit trail; what tests send is not in it. */
          eventId?: string;
          endpointId?: string;
          errorClass?: DeliveryErrorClass | (string & {});
          /** A list has deliveries of its last 10,000 events; a job on a trade of so many is refused. */
          tradeSessionId?: string;
          since?: string;
          until?: string;
        };
        /** Replays a second, default 50. */
        ratePerSecond?: number;
        /** Leave out what was replayed and has arrived or is under way, also by a replay of a replay, or by a later one of the same original. Of a dead letter whose replays are dead letters, too, one is made. */
        skipReplayed?: boolean;
        /** Only tell how many there are; nothing is done. */
        dryRun?: boolean;
      };
    };
    reply: DeliveryJobPreview | DeliveryJob;
  };
  /** Discard all that fit a filter, or count them */
  discardDeliveries: {
    input: {
      accountId?: string;
      body: {
        filter: {
          /** What is replayed or discarded has this status. */
          status: 'DEAD' | 'HELD' | 'PENDING';
          /** Name of the webhook. */
          event?: string;
          /** An event of the audit trail; what tests send is not in it. */
          eventId?: string;
          endpointId?: string;
          errorClass?: DeliveryErrorClass | (string & {});
          /** A list has deliveries of its last 10,000 events; a job on a trade of so many is refused. */
          tradeSessionId?: string;
          since?: string;
          until?: string;
        };
        /** Kept and shown. */
        reason: string;
        /** Only tell how many there are; nothing is done. */
        dryRun?: boolean;
      };
    };
    reply: DeliveryJobPreview | DeliveryJob;
  };
  /** Jobs that replay or discard many deliveries, newest first */
  listReplays: {
    input: {
      accountId?: string;
      /** From `nextCursor` of the page before. */
      cursor?: string;
      /** Items per page. */
      limit?: number;
    };
    reply: {
      data: Array<DeliveryJob>;
      nextCursor: string | null;
    };
    item: DeliveryJob;
  };
  /** How far a job is */
  getReplay: {
    input: {
      id: string;
    };
    reply: DeliveryJob;
  };
  /** End a job between two portions; what it has done stays done */
  cancelReplay: {
    input: {
      id: string;
    };
    reply: DeliveryJob;
  };
  /** How long the deliveries of an account are kept */
  getDeliveryRetention: {
    input: {
      id: string;
    };
    reply: DeliveryRetention;
  };
  /** Keep the deliveries of an account for longer or shorter than is usual */
  setDeliveryRetention: {
    input: {
      id: string;
      body: {
        days: number | null;
      };
    };
    reply: DeliveryRetention;
  };
  /** What became of deliveries, by the time they were made */
  getDeliveryInsights: {
    input: {
      /** From this time on. Default: 60 buckets of a minute, 24 buckets of an hour, 30 buckets of a day, 13 buckets of a week, 12 buckets of a month, up to `until`. */
      since?: string;
      /** Before this time. Default: now. */
      until?: string;
      /** By what is counted, in UTC; weeks begin on Monday. At most 1000. Default: the shortest that gives at most 200. */
      bucket?: 'minute' | 'hour' | 'day' | 'week' | 'month';
      accountId?: string;
      endpointId?: string;
      /** Name of the webhook. */
      event?: string;
      /** Fills `groups`. */
      groupBy?: 'endpoint' | 'event';
    };
    reply: DeliveryInsights;
  };
}

/** Method and path of each operation, and how its items are walked through. */
export const OPERATIONS = {
  signUp: ['POST', '/v1/auth/sign-up'],
  signIn: ['POST', '/v1/auth/sign-in'],
  openBrowserSession: ['POST', '/v1/auth/browser-session'],
  signOut: ['POST', '/v1/auth/sign-out'],
  getMe: ['GET', '/v1/auth/me'],
  changePassword: ['POST', '/v1/auth/password'],
  setUpOperator: ['POST', '/v1/auth/setup'],
  listAccounts: ['GET', '/v1/admin/accounts', 'page'],
  createAccount: ['POST', '/v1/admin/accounts'],
  getAccount: ['GET', '/v1/admin/accounts/{id}'],
  updateAccount: ['PATCH', '/v1/admin/accounts/{id}'],
  listMembers: ['GET', '/v1/admin/accounts/{id}/members', 'page'],
  addMember: ['PUT', '/v1/admin/accounts/{id}/members/{userId}'],
  removeMember: ['DELETE', '/v1/admin/accounts/{id}/members/{userId}'],
  listUsers: ['GET', '/v1/admin/users', 'page'],
  createUser: ['POST', '/v1/admin/users'],
  getUser: ['GET', '/v1/admin/users/{id}'],
  updateUser: ['PATCH', '/v1/admin/users/{id}'],
  listApiKeys: ['GET', '/v1/admin/api-keys', 'page'],
  createApiKey: ['POST', '/v1/admin/api-keys'],
  rotateApiKey: ['POST', '/v1/admin/api-keys/{id}/rotate'],
  revokeApiKey: ['DELETE', '/v1/admin/api-keys/{id}'],
  listAccountApiKeys: ['GET', '/v1/accounts/{id}/api-keys', 'page'],
  createAccountApiKey: ['POST', '/v1/accounts/{id}/api-keys'],
  rotateAccountApiKey: ['POST', '/v1/accounts/{id}/api-keys/{keyId}/rotate'],
  revokeAccountApiKey: ['DELETE', '/v1/accounts/{id}/api-keys/{keyId}'],
  listChanges: ['GET', '/v1/admin/changes', 'cursor'],
  listAccountChanges: ['GET', '/v1/accounts/{id}/changes', 'cursor'],
  getSystemHealth: ['GET', '/v1/admin/system'],
  publishEvents: ['POST', '/v1/events'],
  listEvents: ['GET', '/v1/events', 'cursor'],
  exportEvents: ['GET', '/v1/events/export', 'stream'],
  getEvent: ['GET', '/v1/events/{id}'],
  listEventTypes: ['GET', '/v1/event-types'],
  getEventInsights: ['GET', '/v1/insights/events'],
  listReaders: ['GET', '/v1/admin/readers'],
  listReaderFailures: ['GET', '/v1/admin/readers/{name}/failures', 'cursor'],
  retryReaderFailure: ['POST', '/v1/admin/readers/{name}/failures/{eventId}/retry'],
  rebuildReader: ['POST', '/v1/admin/readers/{name}/rebuild'],
  listPosts: ['GET', '/v1/blog/posts', 'page'],
  getPost: ['GET', '/v1/blog/posts/{slug}'],
  getIndex: ['GET', '/v1/blog/index'],
  getTaxonomy: ['GET', '/v1/blog/taxonomy'],
  likePost: ['PUT', '/v1/blog/posts/{slug}/like'],
  unlikePost: ['DELETE', '/v1/blog/posts/{slug}/like'],
  viewPost: ['POST', '/v1/blog/posts/{slug}/view'],
  sharePost: ['POST', '/v1/blog/posts/{slug}/share'],
  listComments: ['GET', '/v1/blog/posts/{slug}/comments', 'page'],
  createComment: ['POST', '/v1/blog/posts/{slug}/comments'],
  listReplies: ['GET', '/v1/blog/comments/{id}/replies', 'page'],
  deleteComment: ['DELETE', '/v1/blog/comments/{id}'],
  reportComment: ['POST', '/v1/blog/comments/{id}/report'],
  getBlogMe: ['GET', '/v1/blog/manage/me'],
  listManagedPosts: ['GET', '/v1/blog/manage/posts', 'page'],
  createPost: ['POST', '/v1/blog/manage/posts'],
  suggestSlug: ['GET', '/v1/blog/manage/slug'],
  getManagedPost: ['GET', '/v1/blog/manage/posts/{id}'],
  updatePost: ['PATCH', '/v1/blog/manage/posts/{id}'],
  deletePost: ['DELETE', '/v1/blog/manage/posts/{id}'],
  publishPost: ['POST', '/v1/blog/manage/posts/{id}/publish'],
  unpublishPost: ['POST', '/v1/blog/manage/posts/{id}/unpublish'],
  renderPost: ['POST', '/v1/blog/manage/render'],
  checkPost: ['GET', '/v1/blog/manage/posts/{id}/checks'],
  createPreviewLink: ['POST', '/v1/blog/manage/posts/{id}/preview-links'],
  endPreviewLinks: ['DELETE', '/v1/blog/manage/posts/{id}/preview-links'],
  getPreview: ['GET', '/v1/blog/preview/{token}'],
  listRevisions: ['GET', '/v1/blog/manage/posts/{id}/revisions', 'page'],
  getRevision: ['GET', '/v1/blog/manage/posts/{id}/revisions/{number}'],
  diffRevision: ['GET', '/v1/blog/manage/posts/{id}/revisions/{number}/diff'],
  restoreRevision: ['POST', '/v1/blog/manage/posts/{id}/revisions/{number}/restore'],
  importPosts: ['POST', '/v1/blog/manage/import'],
  exportPosts: ['GET', '/v1/blog/manage/export', 'stream'],
  listManagedComments: ['GET', '/v1/blog/manage/comments', 'page'],
  moderateComments: ['POST', '/v1/blog/manage/comments/bulk'],
  getManagedComment: ['GET', '/v1/blog/manage/comments/{id}'],
  moderateComment: ['PATCH', '/v1/blog/manage/comments/{id}'],
  listModerationLog: ['GET', '/v1/blog/manage/moderation-log', 'cursor'],
  getCommentSettings: ['GET', '/v1/blog/manage/comment-settings'],
  updateCommentSettings: ['PATCH', '/v1/blog/manage/comment-settings'],
  getBlogInsights: ['GET', '/v1/insights/blog'],
  listNotifications: ['GET', '/v1/notifications', 'cursor'],
  readNotification: ['POST', '/v1/notifications/{id}/read'],
  readAllNotifications: ['POST', '/v1/notifications/read'],
  getNotificationSettings: ['GET', '/v1/notifications/settings'],
  updateNotificationSettings: ['PATCH', '/v1/notifications/settings'],
  receiveReport: ['POST', '/v1/webhooks/inbound'],
  listReports: ['GET', '/v1/webhooks/inbound', 'cursor'],
  getReport: ['GET', '/v1/webhooks/inbound/{id}'],
  listTrades: ['GET', '/v1/trades', 'cursor'],
  getTrade: ['GET', '/v1/trades/{tradeSessionId}'],
  cancelTrade: ['POST', '/v1/trades/{tradeSessionId}/cancel'],
  getReputation: ['GET', '/v1/users/{id}/reputation'],
  createEndpoint: ['POST', '/v1/webhooks/endpoints'],
  listEndpoints: ['GET', '/v1/webhooks/endpoints', 'page'],
  getEndpoint: ['GET', '/v1/webhooks/endpoints/{id}'],
  updateEndpoint: ['PATCH', '/v1/webhooks/endpoints/{id}'],
  deleteEndpoint: ['DELETE', '/v1/webhooks/endpoints/{id}'],
  getEndpointHealth: ['GET', '/v1/webhooks/endpoints/{id}/health'],
  pauseEndpoint: ['POST', '/v1/webhooks/endpoints/{id}/pause'],
  resumeEndpoint: ['POST', '/v1/webhooks/endpoints/{id}/resume'],
  testEndpoint: ['POST', '/v1/webhooks/endpoints/{id}/test'],
  createBusinessSubscription: ['POST', '/v1/webhooks/business-subscriptions'],
  listBusinessSubscriptions: ['GET', '/v1/webhooks/business-subscriptions', 'page'],
  getBusinessSubscription: ['GET', '/v1/webhooks/business-subscriptions/{id}'],
  updateBusinessSubscription: ['PATCH', '/v1/webhooks/business-subscriptions/{id}'],
  deleteBusinessSubscription: ['DELETE', '/v1/webhooks/business-subscriptions/{id}'],
  getBusinessSubscriptionHealth: ['GET', '/v1/webhooks/business-subscriptions/{id}/health'],
  pauseBusinessSubscription: ['POST', '/v1/webhooks/business-subscriptions/{id}/pause'],
  resumeBusinessSubscription: ['POST', '/v1/webhooks/business-subscriptions/{id}/resume'],
  testBusinessSubscription: ['POST', '/v1/webhooks/business-subscriptions/{id}/test'],
  sendEventToEndpoint: ['POST', '/v1/webhooks/endpoints/{id}/deliveries'],
  sendEventToBusinessSubscription: ['POST', '/v1/webhooks/business-subscriptions/{id}/deliveries'],
  getEndpointFeed: ['GET', '/v1/webhooks/endpoints/{id}/feed'],
  ackEndpointFeed: ['POST', '/v1/webhooks/endpoints/{id}/feed/ack'],
  getBusinessSubscriptionFeed: ['GET', '/v1/webhooks/business-subscriptions/{id}/feed'],
  ackBusinessSubscriptionFeed: ['POST', '/v1/webhooks/business-subscriptions/{id}/feed/ack'],
  explainRouting: ['GET', '/v1/events/{id}/routing', 'cursor'],
  listDeliveries: ['GET', '/v1/webhooks/deliveries', 'cursor'],
  getDelivery: ['GET', '/v1/webhooks/deliveries/{id}'],
  replayDelivery: ['POST', '/v1/webhooks/deliveries/{id}/replay'],
  discardDelivery: ['POST', '/v1/webhooks/deliveries/{id}/discard'],
  listDeadLetters: ['GET', '/v1/webhooks/dead-letters', 'cursor'],
  replayDeliveries: ['POST', '/v1/webhooks/deliveries/replay'],
  discardDeliveries: ['POST', '/v1/webhooks/deliveries/discard'],
  listReplays: ['GET', '/v1/webhooks/replays', 'cursor'],
  getReplay: ['GET', '/v1/webhooks/replays/{id}'],
  cancelReplay: ['POST', '/v1/webhooks/replays/{id}/cancel'],
  getDeliveryRetention: ['GET', '/v1/admin/accounts/{id}/delivery-retention'],
  setDeliveryRetention: ['PUT', '/v1/admin/accounts/{id}/delivery-retention'],
  getDeliveryInsights: ['GET', '/v1/insights/deliveries'],
} as const;
