SELECT count() FROM system.settings WHERE name = {name:String}
