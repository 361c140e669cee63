import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chunks } from './chunks.ts'
import { shortClassNames } from './class-names.ts'
import { compressedAssets } from './compressed-assets.ts'
import { contractRoutes } from './contract-routes.ts'
import { earlyPaint } from './early-paint.ts'
import { offlineProgram } from './offline-program.ts'
import { prerenderedShells } from './prerendered-shells.ts'

/** Where the application answers while developing; `npm run dev` sets it. */
const server = `http://127.0.0.1:${process.env.PORT ?? 3000}`

export default defineConfig(({ command }) => ({
  // Started from the repository's root as well as from here.
  root: import.meta.dirname,
  plugins: [
    react(),
    contractRoutes(),
    earlyPaint(),
    compressedAssets(),
    prerenderedShells(),
    offlineProgram(),
  ],
  // While developing a name says where it comes from.
  css: command === 'build' ? { modules: { generateScopedName: shortClassNames(import.meta.dirname) } } : {},
  server: {
    host: '127.0.0.1',
    // The Host header stays as the browser sent it, so the server's same-origin check holds here too.
    proxy: { '/api': server, '/sample-images': server },
  },
  build: {
    target: 'baseline-widely-available',
    // Every browser of that target fetches modules ahead by itself.
    modulePreload: { polyfill: false },
    // An inlined script or style would be refused by the content policy.
    assetsInlineLimit: 0,
    // One small sheet for all screens: beside the program each further one would be a connection and a way to the server.
    cssCodeSplit: false,
    // Tells tools/web-size.ts what the first load is made of.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'start', tags: ['$initial'] }, ...chunks],
        },
      },
    },
  },
}))
