import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { dayOf, formatDay } from '../../../lib/day.ts'
import { timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/api-keys.ts'
import { confirm } from '../../../ui/dialog.tsx'
import { Secret } from '../../../ui/secret.tsx'
import { scopesText } from './key-row.tsx'
import type { MadeKey } from './keys-query.ts'

/** A key that was just made, on its tear-off; leaving it uncopied asks first. */
export function NewSecret({ made, onDone }: { made: MadeKey; onDone: () => void }) {
  const copied = useRef(false)
  const mayGo = async () => copied.current || (await confirmLoss())
  useBlocker({
    shouldBlockFn: async () => !(await mayGo()),
    enableBeforeUnload: () => !copied.current,
  })
  const { api_key, hint, name, scopes, expires_at, created_at } = made
  const expires = expires_at === null ? m.never : formatDay(dayOf(expires_at))
  return (
    <Secret
      title={m.ready(name)}
      secret={api_key}
      copyLabel={m.copy}
      stub={
        <>
          <b>{hint}</b>
          <span>{timeOf(created_at)}</span>
          <span className="quiet">{m.stays}</span>
        </>
      }
      example={{ text: curlOf(api_key, scopes), label: m.copyCurl }}
      onCopied={() => {
        copied.current = true
      }}
      onDone={async () => {
        if (await mayGo()) onDone()
      }}
    >
      <p className="quiet">{m.kept(scopesText(scopes), expires)}</p>
    </Secret>
  )
}

const confirmLoss = () =>
  confirm({ title: m.uncopiedTitle, text: m.uncopiedWhy, action: m.leave, danger: true })

/** A command that works with the key as it is: what it may read, else who it is. */
const curlOf = (api_key: string, scopes: readonly string[]): string => {
  const path = scopes.includes('tasks:read') ? 'tasks?status_category=started' : 'me'
  return [
    `curl "${location.origin}/api/v1/${path}" \\`,
    `  -H "Authorization: Bearer ${api_key}"`,
  ].join('\n')
}
