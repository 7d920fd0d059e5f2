import type { DemoProject, DemoTask } from '../demo-definitions.ts'
import { PORTAL_TASKS } from './portal.ts'
import { BUILD_TASKS } from './website-build.ts'
import { CONTENT_TASKS } from './website-content.ts'
import { DESIGN_TASKS } from './website-design.ts'
import { DETAIL_TASKS } from './website-details.ts'
import { DISCOVERY_TASKS } from './website-discovery.ts'

const WEBSITE_TASKS = [
  ...DISCOVERY_TASKS,
  ...DESIGN_TASKS,
  ...BUILD_TASKS,
  ...CONTENT_TASKS,
  ...DETAIL_TASKS,
]

/** All tasks of the demo; of those created on one day, a task follows those that it refers to. */
export const DEMO_TASKS: readonly { project: DemoProject; task: DemoTask }[] = [
  ...WEBSITE_TASKS.map((task) => ({ project: 'website' as const, task })),
  ...PORTAL_TASKS.map((task) => ({ project: 'portal' as const, task })),
]
