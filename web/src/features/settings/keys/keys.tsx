import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { manages, useBoot } from '../../../data/boot.ts'
import { m } from '../../../messages/api-keys.ts'
import { m as common } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { OwnGrants } from '../applications/own-grants.tsx'
import { Head } from '../head.tsx'
import { KeyForm } from './key-form.tsx'
import { KeyRow } from './key-row.tsx'
import { keysQuery, type MadeKey } from './keys-query.ts'
import { NewSecret } from './new-secret.tsx'

const COLUMNS = [...m.columns.map((label) => ({ label })), { label: m.actionsColumn, hidden: true }]

/** API access: the person's keys (owners and admins see everybody's), and a new one with its secret. */
export default function Keys() {
  const boot = useBoot()
  const { data: keys, error, refetch } = useQuery(keysQuery)
  const client = useQueryClient()
  const [step, setStep] = useState<'list' | 'form' | MadeKey>('list')
  const made = async (key: MadeKey) => {
    setStep(key)
    await client.invalidateQueries(keysQuery)
  }
  return (
    <>
      <Head
        title={common.sections.api}
        count={keys?.length}
        acts={
          <>
            <a className="btn plain only-wide" href="/docs">
              {m.docs}
            </a>
            <Button
              kind="primary"
              icon="plus"
              {...(typeof step === 'object' && { reason: m.uncopiedTitle })}
              onClick={() => setStep('form')}
            >
              {m.create}
            </Button>
          </>
        }
      >
        {manages(boot) ? `${m.why} ${m.whyAll}` : m.why}
      </Head>
      <div className="scroll">
        {step === 'form' && <KeyForm onMade={made} onCancel={() => setStep('list')} />}
        {typeof step === 'object' && <NewSecret made={step} onDone={() => setStep('list')} />}
        {error && <Trouble error={error} onRetry={() => void refetch()} />}
        {!keys && !error && <Skeleton rows={3} />}
        {keys && keys.length > 0 && (
          <Table label={m.list} className="keys" columns={COLUMNS}>
            {keys.map((key) => (
              <KeyRow key={key.id} item={key} />
            ))}
          </Table>
        )}
        {keys?.length === 0 && step === 'list' && (
          <Empty text={m.empty}>
            <Button onClick={() => setStep('form')}>{m.create}</Button>
          </Empty>
        )}
        <OwnGrants />
      </div>
    </>
  )
}
