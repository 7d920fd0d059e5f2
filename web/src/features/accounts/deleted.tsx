import { useQuery } from '@tanstack/react-query'
import type { switchWorkspace } from '#accounts/contract.ts'
import type { getDeletion, restoreWorkspace } from '#resources/workspace/internal.ts'
import { signOut } from '../../data/session.ts'
import { call } from '../../lib/call.ts'
import { fullOf } from '../../lib/instant.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/accounts.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Alone, SlipHead } from './alone.tsx'

/** `/deleted`: an owner's workspace is deleted, and can be restored until it is erased. */
export function Deleted() {
  const { data, error, refetch } = useQuery({
    queryKey: ['deletion'],
    retry: false,
    queryFn: ({ signal }) =>
      call<typeof getDeletion>('GET /internal/workspace/deletion', {}, { signal }).catch(leave),
  })
  const restore = async () => {
    await call<typeof restoreWorkspace>('POST /internal/workspace/restore', { body: {} })
    location.assign('/start')
  }
  const go = async (workspace_id: string) => {
    const body = { workspace_id }
    await call<typeof switchWorkspace>('PATCH /internal/session', { body })
    location.assign(`/w/${workspace_id}/my`)
  }
  return (
    <Alone>
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && (
        <Form slip onSubmit={restore}>
          <SlipHead title={m.deletedTitle(data.name)}>
            {m.deletedWhy(fullOf(data.erased_at))}
          </SlipHead>
          <FormLine>
            <div className="acts">
              <Submit>{m.restore}</Submit>
              {data.workspaces.map(({ id, name }) => (
                <Button key={id} onClick={() => void go(id)}>
                  {m.goTo(name)}
                </Button>
              ))}
              <Button kind="plain" onClick={() => void signOut()}>
                {m.signOutHere}
              </Button>
            </div>
          </FormLine>
        </Form>
      )}
    </Alone>
  )
}

/** Nothing is deleted, or nobody is signed in: the way in tells which. */
function leave(error: unknown): Promise<never> {
  if (!(error instanceof Problem) || error.status >= 429) throw error
  location.assign('/start')
  return new Promise(() => undefined)
}
