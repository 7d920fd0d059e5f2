import { useNavigate, useParams } from '@tanstack/react-router'
import { useBoot } from '../../data/session/boot.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { TaskFrame } from './task-frame.tsx'

/** A task as a page of its own. */
export function TaskPage() {
  const { shortId } = useParams({ from: '/w/$workspaceId/t/$shortId' })
  const { projects } = useBoot('projects')
  const navigate = useNavigate({ from: '/w/$workspaceId/t/$shortId' })
  const prefix = shortId.slice(0, shortId.lastIndexOf('-')).toUpperCase()
  const isProjectVisible = projects.some((project) => project.prefix === prefix)
  return (
    <main className="paper page" id="work">
      <ErrorBoundary resetKey={shortId}>
        <TaskFrame
          page
          shortId={shortId}
          siblings={[]}
          onOpen={(otherShortId, isRedirect = false) =>
            navigate({
              to: '/w/$workspaceId/t/$shortId',
              params: { shortId: otherShortId },
              replace: isRedirect,
              ignoreBlocker: isRedirect,
            })
          }
          onLeave={() =>
            isProjectVisible
              ? navigate({ to: '/w/$workspaceId/p/$prefix', params: { prefix } })
              : navigate({ to: '/w/$workspaceId/my' })
          }
        />
      </ErrorBoundary>
    </main>
  )
}
