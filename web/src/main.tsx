import './app/mantine-styles.ts'
import './app/base.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Providers } from './app/providers.tsx'
import { suppressResizeObserverNoise } from './app/resize-noise.ts'
import { router } from './app/router.tsx'

suppressResizeObserverNoise(window)

const place = document.getElementById('root')
if (!place) throw new Error('index.html has no #root')

createRoot(place).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
)
