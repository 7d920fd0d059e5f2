import type { Project } from '#resources/projects/contract.ts'
import { nearestHue } from '../../lib/browser/hue.ts'

/** The emoji of a project, or a square in its color. */
export const ProjectIcon = ({
  project: { icon, color },
}: {
  project: Pick<Project, 'icon' | 'color'>
}) =>
  icon !== null && /\p{Extended_Pictographic}/u.test(icon) ? (
    <span className="project-icon" aria-hidden="true">
      {icon}
    </span>
  ) : (
    <span className="project-icon square" data-h={nearestHue(color)} aria-hidden="true" />
  )
