import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/webhooks.ts'
import { confirm } from '../../../ui/dialog.tsx'
import { Secret } from '../../../ui/secret.tsx'
import { hostOf } from './host.ts'

/** A secret that a webhook was just given. */
export interface MadeSecret {
  webhook: Webhook
  secret: string
  rotated: boolean
}

/** The secret on its tear-off; leaving it uncopied asks first. */
export function HookSecret({ made, onDone }: { made: MadeSecret; onDone: () => void }) {
  const { webhook, secret, rotated } = made
  const copied = useRef(false)
  const mayGo = async () =>
    copied.current ||
    (await confirm({ title: m.uncopiedTitle, text: m.uncopiedWhy, action: m.leave, danger: true }))
  useBlocker({
    // Another webhook may be chosen meanwhile: the secret stays on the page.
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await mayGo()),
    enableBeforeUnload: () => !copied.current,
  })
  const host = hostOf(webhook.url)
  return (
    <Secret
      title={rotated ? m.rotatedReady(host) : m.ready(host)}
      secret={secret}
      copyLabel={m.copySecret}
      stub={
        <>
          <b>{m.hint(secret.slice(-4))}</b>
          <span>{timeOf(new Date().toISOString())}</span>
          <span className="quiet">{m.stays}</span>
        </>
      }
      onCopied={() => {
        copied.current = true
      }}
      onDone={async () => {
        if (await mayGo()) onDone()
      }}
    >
      <p className="quiet">{m.secretWhy}</p>
    </Secret>
  )
}
