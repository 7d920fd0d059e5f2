import { useQuery } from '@tanstack/react-query'
import type { switchWorkspace } from '#accounts/contract.ts'
import type { getWorkspaceDeletion, restoreWorkspace } from '#resources/workspace/internal.ts'
import { formatFullInstant } from '../../../lib/dates/instant.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { signOutIfConfirmed } from '../../shell/index.ts'
import { AuthHeading, AuthLayout } from '../auth-layout.tsx'
import { useAsyncAction } from '../use-async-action.tsx'

/** `/deleted`: lets an owner restore their deleted workspace until it is erased. */
export function WorkspaceDeleted() {
  const { data, error, refetch } = useQuery({
    queryKey: ['deletion'],
    retry: false,
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getWorkspaceDeletion>(
        'GET /internal/workspace/deletion',
        {},
        { signal },
      ).catch(leaveUnlessFailed),
  })
  const restore = async () => {
    await requestEndpoint<typeof restoreWorkspace>('POST /internal/workspace/restore', { body: {} })
    location.assign('/start')
  }
  const leaving = useAsyncAction()
  const openWorkspace = async (workspace_id: string) => {
    const body = { workspace_id }
    await requestEndpoint<typeof switchWorkspace>('PATCH /internal/session', { body })
    location.assign(`/w/${workspace_id}/my`)
  }
  return (
    <AuthLayout>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && (
        <Form slip onSubmit={restore}>
          <AuthHeading title={accountMessages.deletedTitle(data.name)}>
            {accountMessages.deletedWhy(formatFullInstant(data.erased_at))}
          </AuthHeading>
          <FormLine>
            <div className="acts">
              <SubmitButton>{accountMessages.restore}</SubmitButton>
              {data.workspaces.map(({ id, name }) => (
                <Button
                  key={id}
                  busy={leaving.busy}
                  onClick={() => leaving.run(() => openWorkspace(id))}
                >
                  {accountMessages.goTo(name)}
                </Button>
              ))}
              <Button
                kind="plain"
                busy={leaving.busy}
                onClick={() => leaving.run(signOutIfConfirmed)}
              >
                {accountMessages.signOutHere}
              </Button>
            </div>
            {leaving.errorMessage}
          </FormLine>
        </Form>
      )}
    </AuthLayout>
  )
}

/**
 * Leaves for `/start` where nothing is deleted or nobody is signed in, and `/start` decides what
 * follows. Other failures are rethrown.
 */
function leaveUnlessFailed(error: unknown): Promise<never> {
  if (!(error instanceof ApiResponseError) || error.status >= 429) throw error
  location.assign('/start')
  return new Promise(() => undefined)
}
