import { IconDeviceDesktop, IconDeviceMobile, IconDeviceTablet } from '@tabler/icons-react';

/** The shape of a capture's device, for beside its name. */
export function DeviceIcon({ device, size = 16 }: { device: string; size?: number }) {
  const Icon = device === 'mobile' ? IconDeviceMobile : device === 'tablet' ? IconDeviceTablet : IconDeviceDesktop;
  return <Icon size={size} aria-hidden style={{ flex: 'none' }} />;
}
