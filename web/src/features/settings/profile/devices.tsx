import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Device, endSession, listSessions } from '#resources/sessions/contract.ts'
import { allPages } from '../../../data/pages.ts'
import { unsent, waiting } from '../../../data/queue.ts'
import { signOut } from '../../../data/session.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/settings.ts'
import { m as codes } from '../../../messages/sign-in.ts'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/dialog.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { messageOf, Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { deviceOf } from './device.ts'

const KEY = ['sessions']
const COLUMNS = m.deviceColumns.map((label, at) => ({ label, hidden: at === 4 }))

/** Where the person is signed in, this browser first; any of them can be ended. */
export function Devices() {
  const client = useQueryClient()
  const [ending, setEnding] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) =>
      allPages((page) =>
        call<typeof listSessions>('GET /internal/sessions', { query: page }, { signal }),
      ),
  })
  const sessions = data?.toSorted((a, b) => Number(b.current) - Number(a.current))
  const others = sessions?.filter(({ current }) => !current) ?? []
  const end = async (gone: readonly Device[], told: string) => {
    setEnding(true)
    try {
      for (const { id } of gone) {
        await call<typeof endSession>('DELETE /internal/sessions/:id', { params: { id } })
      }
      toast({ text: told })
    } catch (thrown) {
      toast({ text: messageOf(thrown), tone: 'trouble' })
    }
    setEnding(false)
    await client.invalidateQueries({ queryKey: KEY })
  }
  return (
    <section aria-label={m.devices}>
      <Band
        title={m.devices}
        count={sessions?.length}
        acts={
          <>
            {others.length > 0 && (
              <Button busy={ending} onClick={() => end(others, m.endedOthers(others.length))}>
                {m.endOthers}
              </Button>
            )}
            <Button onClick={leave}>{m.signOut}</Button>
          </>
        }
      />
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!sessions && !error && <Skeleton rows={2} />}
      {sessions && (
        <Table label={m.devices} className="devices" columns={COLUMNS}>
          {sessions.map((session) => (
            <DeviceRow
              key={session.id}
              session={session}
              onEnd={(name) => end([session], m.ended(name))}
            />
          ))}
        </Table>
      )}
    </section>
  )
}

function DeviceRow({ session, onEnd }: { session: Device; onEnd: (name: string) => void }) {
  const { browser, system } = deviceOf(session.user_agent)
  const name = browser && system ? m.on(browser, system) : (browser ?? system ?? m.unknownDevice)
  const means = session.signed_in_by && codes.means[session.signed_in_by]
  const isByCode = session.two_factors && session.signed_in_by !== 'passkey'
  const how = means && isByCode ? codes.andCode(means) : means
  return (
    <Row>
      <Cell className="gut">
        <Moment at={session.last_used_at} style="gutter" />
      </Cell>
      <Cell>
        <span className="clip" title={session.user_agent}>
          {name}
        </span>
        {how && <span className="quiet">{how}</span>}
        {session.current && <span className="ok">{m.thisDevice}</span>}
      </Cell>
      <Cell className="clip">{session.workspace.name}</Cell>
      <Cell>
        <Moment at={session.created_at} style="day" />
      </Cell>
      <Cell className="end">
        {!session.current && (
          <Button kind="plain danger" aria-label={m.endSessionOf(name)} onClick={() => onEnd(name)}>
            {m.endSession}
          </Button>
        )}
      </Cell>
    </Row>
  )
}

/** Signing out drops drafts and what waits: asked first where something does. */
async function leave(): Promise<void> {
  const count = waiting.get().length
  const question = { title: m.unsentTitle(count), text: m.unsentWhy, action: m.signOutAnyway }
  if (!unsent() || (await confirm(question))) await signOut()
}
