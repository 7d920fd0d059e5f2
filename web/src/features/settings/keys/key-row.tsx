import { useQueryClient } from '@tanstack/react-query'
import type { ApiKey, deleteKey } from '#resources/api-keys/internal.ts'
import { nameOf, useBoot } from '../../../data/boot.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { agoOf } from '../../../lib/instant.ts'
import { Problem } from '../../../lib/problem.ts'
import { m } from '../../../messages/api-keys.ts'
import { Button } from '../../../ui/button.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Cell, Row } from '../../../ui/table.tsx'
import { messageOf } from '../../../ui/trouble.tsx'
import { presetOf } from './chosen.ts'
import { keysQuery } from './keys-query.ts'

const SOON_MS = 7 * 86_400_000

/** One key; revoking it asks nothing, and is over with the next request. */
export function KeyRow({ item }: { item: ApiKey }) {
  const boot = useBoot()
  const client = useQueryClient()
  const { id, hint, name, user_id, scopes, last_used_at } = item
  const revoke = async () => {
    client.setQueryData(keysQuery.queryKey, (keys) => keys?.filter((one) => one.id !== id))
    try {
      await call<typeof deleteKey>('DELETE /internal/api-keys/:id', { params: { id } })
      toast({ text: m.revoked(name, hint) })
    } catch (error) {
      const request_id = error instanceof Problem ? { request_id: error.request_id } : {}
      toast({ text: m.notRevoked(name, messageOf(error)), tone: 'trouble', ...request_id })
    }
    await client.invalidateQueries(keysQuery)
  }
  return (
    <Row>
      <Cell className="gut">{hint}</Cell>
      <Cell>
        <span className="clip" title={name}>
          {name}
        </span>
        {user_id !== boot.session.user.id && (
          <span className="quiet">{m.of(nameOf(boot, user_id))}</span>
        )}
      </Cell>
      <Cell className="clip mono" title={scopes.join(' ')}>
        {scopesText(scopes)}
      </Cell>
      <Cell>
        <Expiry at={item.expires_at} />
      </Cell>
      <Cell>{last_used_at ? <Moment at={last_used_at} /> : m.neverUsed}</Cell>
      <Cell className="end">
        <Button kind="plain danger" aria-label={m.revokeOf(name)} onClick={revoke}>
          {m.revoke}
        </Button>
      </Cell>
    </Row>
  )
}

/** Scopes in few words: the preset they are, or all their names. */
export function scopesText(scopes: readonly string[]): string {
  const preset = presetOf(scopes)
  if (preset === 'full') return m.all
  return preset === 'read_only' ? m.readOnly : scopes.join(' ')
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return m.never
  const left = Date.parse(at) - Date.now()
  if (left <= 0) return <span className="quiet">{m.expired(agoOf(at))}</span>
  return (
    <span className={left < SOON_MS ? 'bad' : undefined}>
      <Moment at={at} style={left < SOON_MS ? 'ago' : 'day'} />
    </span>
  )
}
