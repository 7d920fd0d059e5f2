import { useNavigate, useParams } from '@tanstack/react-router'
import { useBoot } from '../../data/boot.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { TaskFrame } from './task-frame.tsx'

/** A task as a page of its own. */
export function TaskPage() {
  const { shortId } = useParams({ from: '/w/$workspaceId/t/$shortId' })
  const { projects } = useBoot()
  const navigate = useNavigate({ from: '/w/$workspaceId/t/$shortId' })
  const prefix = shortId.slice(0, shortId.lastIndexOf('-')).toUpperCase()
  const known = projects.some((project) => project.prefix === prefix)
  return (
    <main className="paper page" id="work">
      <Boundary resetKey={shortId}>
        <TaskFrame
          page
          shortId={shortId}
          siblings={[]}
          onOpen={(other) =>
            navigate({ to: '/w/$workspaceId/t/$shortId', params: { shortId: other } })
          }
          onLeave={() =>
            known
              ? navigate({ to: '/w/$workspaceId/p/$prefix', params: { prefix } })
              : navigate({ to: '/w/$workspaceId/my' })
          }
        />
      </Boundary>
    </main>
  )
}
