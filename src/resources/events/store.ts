import { sql } from 'kysely'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import type { Json } from '#lib/json.ts'
import type { EventEnvelope } from './contract.ts'

interface EventPageRow {
  id: string
  key: number
  /** The stored payload is the envelope as it was sent, and so the JSON of the record. */
  json: Json<EventEnvelope>
}

/** Which filters a request has, and of how many types. */
interface EventQueryShape {
  types: number
  project: boolean
}

type TypeParams = Record<`type_${number}`, string>
type EventParams = Scoped<TypeParams & { after: number; project_id: string; limit: number }>

/** The types as `selectEvents` binds them. */
export const bindTypes = (types: readonly string[]): TypeParams =>
  Object.fromEntries(types.map((type, at) => [`type_${at}`, type]))

/**
 * Events after a sequence, in order. A filter is answered by a page of each of its types, and of each
 * column that names the project, from an index that is in this order: a condition with "or" or on a list
 * of types would read the log from its beginning for events that are rare.
 */
export const selectEvents = memoizeByShape(({ types, project }: EventQueryShape) =>
  query((db, $: EventParams, { engine }) => {
    // Events that have left the log may remain for their deliveries. Both bounds are one
    // expression, because SQLite would use only one of two for its index scan.
    const greatest = sql.raw(engine === 'sqlite' ? 'max' : 'greatest')
    const isKept = sql`sequence > ${greatest}(${$.after}, (select log_from_sequence - 1
      from workspaces where id = ${$.workspace_id}))`
    const ofTypes = Array.from({ length: types }, (_, at) => sql`and type = ${$[`type_${at}`]}`)
    const ofProject = ['project_id', 'former_project_id'].map(
      (column) => sql`and ${sql.ref(column)} = ${$.project_id}`,
    )
    const pages = (types > 0 ? ofTypes : [sql``]).flatMap((ofType) =>
      (project ? ofProject : [sql``]).map(
        (inProject) => sql`select sequence from (
          select sequence from events where workspace_id = ${$.workspace_id} and ${isKept}
            ${inProject} ${ofType} order by sequence limit ${$.limit}) as page`,
      ),
    )
    const isInPage =
      types > 0 || project ? sql`sequence in (${sql.join(pages, sql` union `)})` : isKept
    return rawStatement<EventPageRow>(
      db,
      sql`select id, sequence as key, payload as json from events
        where workspace_id = ${$.workspace_id} and ${isInPage}
        order by sequence limit ${$.limit}`,
    )
  }),
)
