import type { Session } from '@dealdeck/contract/session'
import { expect, test } from 'vitest'
import { homePath, pathOfTab, placesFor } from './navigation.ts'

const una: Session = { id: 2, username: 'una', role: 'user', status: 'approved' }

test('administrators see more places than others', () => {
  expect(placesFor(una).map((place) => place.path)).toEqual([
    '/',
    '/amazon-haul',
    '/searches',
    '/alerts',
    '/tools',
    '/filters',
    '/image-tools',
    '/profile',
  ])
  expect(placesFor({ ...una, role: 'admin' }).map((place) => place.path)).toContain('/admin-dashboard')
})

test('navigation ids lead to their paths, anything else leads home', () => {
  expect(pathOfTab('home')).toBe('/')
  expect(pathOfTab('amazon-haul-deals')).toBe('/amazon-haul')
  expect(pathOfTab('saved-searches')).toBe('/searches')
  expect(pathOfTab('link-generator')).toBe('/tools')
  expect(pathOfTab('filters')).toBe('/filters')
  expect(pathOfTab('brands')).toBe('/brands')
  expect(pathOfTab('import-deals')).toBe('/import')
  expect(pathOfTab('admin-dashboard')).toBe('/admin-dashboard')
  expect(pathOfTab('profile')).toBe('/profile')
  expect(pathOfTab('toString')).toBe(homePath)
  expect(pathOfTab(undefined)).toBe(homePath)
})
