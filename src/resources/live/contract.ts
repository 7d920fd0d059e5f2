import { endpoint } from '#wire/endpoint.ts'
import { Notice } from '#wire/notice.ts'
import { Fields, Id, List, Nullable, Optional, Pattern, type Static } from '#wire/schema.ts'

/** The projects that a person sees, and hears of; null: all of them. */
export type Seen = Static<typeof Seen>
export const Seen = Fields({ project_ids: Nullable(List(Id('prj'))) })

export const openLive = endpoint({
  method: 'GET',
  path: '/internal/live',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'Follow what changes',
  description:
    'Server-sent events. `notice`: a record was changed. `reset`: some may have been missed, or the ' +
    'person sees other projects than before; read again whatever is shown. `heartbeat`: each 25 s.',
  query: Fields({
    after: Optional(
      Pattern('^[\\w.-]{1,64}$', {
        description: 'The newest notice that is known, where there is no `Last-Event-ID` yet.',
      }),
    ),
  }),
  reply: Seen,
  stream: Notice,
})
