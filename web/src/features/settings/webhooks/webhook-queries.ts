import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { getDelivery, listWebhookDeliveries } from '#resources/deliveries/contract.ts'
import type { listEvents } from '#resources/events/contract.ts'
import type { listWebhooks, Webhook } from '#resources/webhooks/contract.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { type CallInput, requestEndpoint } from '../../../lib/http/request-endpoint.ts'

/** All webhooks, oldest first; there are at most 50. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) =>
    fetchAllPages((query) =>
      requestEndpoint<typeof listWebhooks>('GET /api/v1/webhooks', { query }, { signal }),
    ),
})

type DeliveryListParams = NonNullable<CallInput<typeof listWebhookDeliveries>['query']>
/** The filter of a delivery log. */
export type DeliveryFilter = Pick<DeliveryListParams, 'status' | 'event_type'>

const PAGE_SIZE = 50
const RATED_DELIVERIES = 200

/** The deliveries of a webhook, newest first, page by page. */
export const deliveriesQuery = (id: string, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', id, 'log', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) }
      const endpoint = 'GET /api/v1/webhooks/:id/deliveries'
      return requestEndpoint<typeof listWebhookDeliveries>(
        endpoint,
        { params: { id }, query },
        { signal },
      )
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** The newest deliveries of a webhook, from which its success rate is computed. */
export const recentDeliveriesQuery = ({ id, last_delivery_at }: Webhook) =>
  queryOptions({
    // Ten seconds of the last delivery are part of the key, so that a burst is not read each time.
    queryKey: ['deliveries-rated', id, last_delivery_at?.slice(0, 18)],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const endpoint = 'GET /api/v1/webhooks/:id/deliveries'
      const input = { params: { id }, query: { limit: RATED_DELIVERIES } }
      return requestEndpoint<typeof listWebhookDeliveries>(endpoint, input, { signal })
    },
  })

/** One delivery with its requests and responses. */
export const deliveryQuery = (webhook_id: string, id: string) =>
  queryOptions({
    queryKey: ['deliveries', webhook_id, 'one', id],
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getDelivery>(
        'GET /api/v1/deliveries/:id',
        { params: { id } },
        { signal },
      ),
  })

/** Events of the workspace's log after a sequence; they never change. */
export const eventWindowQuery = (after: number, count: number) =>
  queryOptions({
    queryKey: ['events', after, count],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const query = { after_sequence: after, limit: count }
      return (await requestEndpoint<typeof listEvents>('GET /api/v1/events', { query }, { signal }))
        .data
    },
  })
