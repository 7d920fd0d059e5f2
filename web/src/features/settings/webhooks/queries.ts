import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { getDelivery, listDeliveries } from '#resources/deliveries/contract.ts'
import type { listEvents } from '#resources/events/contract.ts'
import type { listWebhooks, Webhook } from '#resources/webhooks/contract.ts'
import { allPages } from '../../../data/pages.ts'
import { call, type Sent } from '../../../lib/call.ts'

/** All webhooks, in the order in which they were made: at most 50. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) =>
    allPages((query) => call<typeof listWebhooks>('GET /api/v1/webhooks', { query }, { signal })),
})

type Filter = NonNullable<Sent<typeof listDeliveries>['query']>
/** What of a delivery log is shown. */
export type LogFilter = Pick<Filter, 'status' | 'event_type'>

const PAGE = 50
const RATED = 200

/** Deliveries of a webhook, the newest first, page after page. */
export const deliveriesQuery = (id: string, filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', id, 'log', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: PAGE, ...(pageParam && { cursor: pageParam }) }
      const to = 'GET /api/v1/webhooks/:id/deliveries'
      return call<typeof listDeliveries>(to, { params: { id }, query }, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** The newest deliveries of a webhook, from which its share of successes is reckoned. */
export const ratedQuery = ({ id, last_delivery_at }: Webhook) =>
  queryOptions({
    // Again once a minute, while there are deliveries.
    queryKey: ['deliveries-rated', id, last_delivery_at?.slice(0, 16)],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const to = 'GET /api/v1/webhooks/:id/deliveries'
      const sent = { params: { id }, query: { limit: RATED } }
      return (await call<typeof listDeliveries>(to, sent, { signal })).data
    },
  })

/** One delivery with all that was sent and answered. */
export const deliveryQuery = (webhook_id: string, id: string) =>
  queryOptions({
    queryKey: ['deliveries', webhook_id, 'one', id],
    queryFn: ({ signal }) =>
      call<typeof getDelivery>('GET /api/v1/deliveries/:id', { params: { id } }, { signal }),
  })

/** Some events in a row, of the log of the workspace; they never change. */
export const eventsQuery = (after: number, count: number) =>
  queryOptions({
    queryKey: ['events', after, count],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const query = { after_sequence: after, limit: count }
      return (await call<typeof listEvents>('GET /api/v1/events', { query }, { signal })).data
    },
  })
