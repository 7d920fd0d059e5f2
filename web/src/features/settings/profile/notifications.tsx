import { queryOptions, useQuery } from '@tanstack/react-query'
import type { changeSettings, getSettings, Wishes } from '#resources/notifications/internal.ts'
import { useBoot } from '../../../data/boot.ts'
import { noteOwn } from '../../../data/own.ts'
import { queries } from '../../../data/refetch.ts'
import { answered, call, type Sent } from '../../../lib/call.ts'
import { m } from '../../../messages/inbox.ts'
import { SelectField } from '../../../ui/field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { tell } from '../tell.ts'

type Kind = keyof Wishes['kinds']
type Change = Sent<typeof changeSettings>['body']

const KINDS = Object.keys(m.settingsKinds) as Kind[]
const PACES = ['soon', 'daily', 'never'] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const COLUMNS = [
  { label: m.settings, hidden: true },
  { label: m.about },
  { label: m.inbox },
  { label: m.mail },
]

const wishesQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: ({ signal }) =>
    call<typeof getSettings>('GET /internal/notification-settings', {}, { signal }),
})

/** Of what one is told, and how; each choice holds at once. */
export function Notifications() {
  const { data, error, refetch } = useQuery(wishesQuery)
  const { settings } = useBoot()
  return (
    <section aria-label={m.settings}>
      <Band title={m.settings} />
      <div className="line set-note">
        <span className="gut" />
        <p className="quiet">
          {m.settingsWhy} {!settings.mail && m.noMail}
        </p>
      </div>
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && <Matrix wishes={data} />}
    </section>
  )
}

function Matrix({ wishes: { kinds, digest_hour } }: { wishes: Wishes }) {
  const { mail } = useBoot().settings
  const off = mail ? {} : { disabled: true, title: m.noMail }
  return (
    <>
      <Table label={m.settings} className="ways" columns={COLUMNS}>
        {KINDS.map((kind) => (
          <Row key={kind}>
            <Cell className="gut" />
            <Cell>{m.settingsKinds[kind]}</Cell>
            <Cell>
              <input
                type="checkbox"
                aria-label={`${m.settingsKinds[kind]}: ${m.inbox}`}
                checked={kinds[kind].inbox}
                onChange={({ target }) =>
                  void change({ kinds: { [kind]: { inbox: target.checked } } })
                }
              />
            </Cell>
            <Cell>
              <select
                className="field"
                aria-label={`${m.settingsKinds[kind]}: ${m.mail}`}
                value={kinds[kind].mail}
                {...off}
                onChange={({ target }) => {
                  const chosen = PACES.find((pace) => pace === target.value)
                  if (chosen) void change({ kinds: { [kind]: { mail: chosen } } })
                }}
              >
                {PACES.map((pace) => (
                  <option key={pace} value={pace}>
                    {m.mails[pace]}
                  </option>
                ))}
              </select>
            </Cell>
          </Row>
        ))}
      </Table>
      {mail && (
        <div className="sheet-form set-form">
          <SelectField
            label={m.hour}
            name="digest"
            hint={m.hourHint}
            value={String(digest_hour)}
            options={HOURS.map((hour) => ({ value: String(hour), label: `${hour}:00` }))}
            onChange={({ target }) => void change({ digest_hour: Number(target.value) })}
          />
        </div>
      )}
    </>
  )
}

async function change(body: Change): Promise<void> {
  try {
    const reply = await answered<typeof changeSettings>('PATCH /internal/notification-settings', {
      body,
    })
    noteOwn(reply.operation_id)
    queries.setQueryData(wishesQuery.queryKey, reply.body)
  } catch (error) {
    tell(error)
  }
}
