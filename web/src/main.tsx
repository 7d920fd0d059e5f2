import './styles/tokens.css'
import './styles/parts.css'
import './styles/ruled-list.css'
import './styles/screen-layout.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { queryClient } from './data/cache/query-client.ts'
import { ensureRandomUUID } from './lib/browser/random-uuid.ts'
import { applyWeekStart } from './lib/dates/week-start.ts'
import { pageLanguage } from './lib/locale/language.ts'
import { router } from './router.tsx'

document.documentElement.lang = pageLanguage
ensureRandomUUID()
applyWeekStart()
const root = document.getElementById('app')
if (!root) throw new Error('There is no #app')
createRoot(root).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
