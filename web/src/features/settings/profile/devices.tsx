import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Device, endSession, listSessions } from '#resources/sessions/contract.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { confirmSignOut } from '../../shell/index.ts'
import { SectionHeader } from '../settings-header.tsx'
import { parseUserAgent } from './parse-user-agent.ts'

const SESSIONS_KEY = ['sessions']
const COLUMNS = settingsMessages.deviceColumns.map((label, at) => ({ label, hidden: at === 4 }))

/** The sessions of the person, the one of this browser first; each can be ended. */
export function Devices() {
  const client = useQueryClient()
  const [isEnding, setEnding] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: ({ signal }) =>
      fetchAllPages((page) =>
        requestEndpoint<typeof listSessions>('GET /internal/sessions', { query: page }, { signal }),
      ),
  })
  const sessions = data?.toSorted((a, b) => Number(b.current) - Number(a.current))
  const others = sessions?.filter(({ current }) => !current) ?? []
  const endSessions = async (ended: readonly Device[], message: string) => {
    setEnding(true)
    try {
      for (const { id } of ended) await endOneSession(id)
      showToast({ text: message })
    } catch (cause) {
      showErrorToast(cause)
    }
    setEnding(false)
    await client.invalidateQueries({ queryKey: SESSIONS_KEY })
  }
  return (
    <section aria-label={settingsMessages.devices}>
      <SectionHeader
        title={settingsMessages.devices}
        count={sessions?.length}
        actions={
          <>
            {others.length > 0 && (
              <Button
                busy={isEnding}
                onClick={() => endSessions(others, settingsMessages.endedOthers(others.length))}
              >
                {settingsMessages.endOthers}
              </Button>
            )}
            <Button onClick={confirmSignOut}>{settingsMessages.signOut}</Button>
          </>
        }
      />
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!sessions && !error && <Skeleton rows={2} />}
      {sessions && (
        <DataTable label={settingsMessages.devices} className="devices" columns={COLUMNS}>
          {sessions.map((session) => (
            <DeviceRow
              key={session.id}
              session={session}
              onEnd={(name) => endSessions([session], settingsMessages.ended(name))}
            />
          ))}
        </DataTable>
      )}
    </section>
  )
}

function DeviceRow({ session, onEnd }: { session: Device; onEnd: (name: string) => void }) {
  const name = describeDevice(session.user_agent)
  const method = session.signed_in_by && signInMessages.means[session.signed_in_by]
  const usedCode = session.two_factors && session.signed_in_by !== 'passkey'
  const methodLabel = method && usedCode ? signInMessages.andCode(method) : method
  return (
    <TableRow>
      <TableCell className="gut">
        <FormattedInstant at={session.last_used_at} style="gutter" />
      </TableCell>
      <TableCell>
        <span className="clip" title={session.user_agent}>
          {name}
        </span>
        {methodLabel && <span className="quiet">{methodLabel}</span>}
        {session.address && <span className="quiet">{settingsMessages.from(session.address)}</span>}
        {session.current && <span className="ok">{settingsMessages.thisDevice}</span>}
      </TableCell>
      <TableCell className="clip">{session.workspace.name}</TableCell>
      <TableCell>
        <FormattedInstant at={session.created_at} style="day" />
      </TableCell>
      <TableCell className="end">
        {!session.current && (
          <Button
            kind="plain danger"
            aria-label={settingsMessages.endSessionOf(name)}
            onClick={() => onEnd(name)}
          >
            {settingsMessages.endSession}
          </Button>
        )}
      </TableCell>
    </TableRow>
  )
}

/** The browser and the system of a session, in words. */
export function describeDevice(userAgent: string): string {
  const { browser, system } = parseUserAgent(userAgent)
  return browser && system
    ? settingsMessages.on(browser, system)
    : (browser ?? system ?? settingsMessages.unknownDevice)
}

/** Ends a session; one that has ended meanwhile is fine, too. */
async function endOneSession(id: string): Promise<void> {
  try {
    await requestEndpoint<typeof endSession>('DELETE /internal/sessions/:id', { params: { id } })
  } catch (error) {
    if (!(error instanceof ApiResponseError) || error.status !== 404) throw error
  }
}
