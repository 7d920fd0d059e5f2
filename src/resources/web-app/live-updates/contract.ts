import { endpoint } from '#wire/endpoint.ts'
import { RecordChange } from '#wire/record-change.ts'
import {
  Id,
  List,
  Nullable,
  Optional,
  Pattern,
  type Static,
  StrictObject,
} from '#wire/schema-builders.ts'

/** The projects whose changes the user receives; null for all projects. */
export type VisibleProjectList = Static<typeof VisibleProjectList>
export const VisibleProjectList = StrictObject({ project_ids: Nullable(List(Id('prj'))) })

export const streamLiveUpdates = endpoint({
  method: 'GET',
  path: '/internal/live',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'Stream changes',
  description:
    'Server-sent events. `notice`: a record was changed. `reset`: some may have been missed, or the ' +
    'person sees other projects than before; read again whatever is shown. `heartbeat`: each 25 s.',
  query: StrictObject({
    after: Optional(
      Pattern('^[\\w.-]{1,64}$', 'the id of a notice', {
        description: 'The newest notice that is known, where there is no `Last-Event-ID` yet.',
      }),
    ),
  }),
  reply: VisibleProjectList,
  stream: RecordChange,
})
